import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import type { Image, ImageDraft } from '@mainstay/contract/compute/images'
import { TRY_OUT_TAG } from '@mainstay/contract/compute/image-rules'
import { reasonIn } from '../../../host/reasons'
import type { ImagesPort } from '../../../ports/compute'
import type { ProjectScope } from '../../../ports/scope'
import type { Engine } from '../../engine'

/**
 * A small guest for trying out the cloud: the path of its disk image, and the script that builds the image if it is
 * missing.
 */
export interface TryOutGuest {
  image: string
  script: string
  /**
   * Called with null once the image has become available, or with the reason if it could not be created. Not called if
   * the image was already available.
   */
  onOutcome?: (failure: string | null) => void
}

/** Downloading a kernel over a slow connection takes minutes. */
const WITHIN_MS = 20 * 60_000
const MOST_SAID = 4000

const draft: ImageDraft = {
  name: 'Try-out guest',
  description: 'A small Linux for testing, with a shell on its screen. It needs neither an SSH key nor the internet.',
  disk_format: 'detect',
  os_distro: 'linux',
  protected: false,
  visibility: 'public',
  hw_tpm_version: null,
  hw_firmware_type: 'bios',
  os_secure_boot: false,
  min_disk: 0,
  min_ram: 96,
  tags: [TRY_OUT_TAG],
}

/**
 * Publishes the try-out guest as a public image, once in the lifetime of this cloud: a deleted guest is not recreated.
 * If the guest cannot be built, logs the reason; the next start tries again.
 */
export async function offerTryOutGuest(
  engine: Engine,
  images: Pick<ImagesPort, 'create'>,
  { guest, owner, signal }: { guest: TryOutGuest; owner: ProjectScope; signal: AbortSignal },
): Promise<void> {
  const { records, log } = engine
  const isOffered = await records.transaction(async (tx) => (await tx.getPrivate('try-out-guest', 'image')) !== null)
  if (isOffered) return
  // an image that an earlier server created, but did not record before it stopped
  const [there] = await records.transaction((tx) =>
    tx.find<Image>('image', { project_id: owner.project_id, tags: { has: TRY_OUT_TAG } }, 1),
  )
  let id = there?.id
  if (id === undefined) {
    try {
      await make(guest, signal)
      if (signal.aborted) return
      id = (await images.create(owner, draft, createReadStream(guest.image, { signal }))).id
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'no try-out guest: failed to create its image')
      guest.onOutcome?.(reason)
      return
    }
  }
  await records.transaction((tx) => tx.putPrivate('try-out-guest', 'image', { id }))
  guest.onOutcome?.(null)
}

/** The last step named by the script, and the output that follows it. */
const whyFailed = (said: string): string => reasonIn(said.split(/^guest-image: /m).at(-1) ?? '')

/**
 * Runs the script, which keeps an existing image if it matches the recipe. Rejects with the failed step and the reason.
 */
function make({ script, image }: TryOutGuest, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // runs in its own process group, so that its children are killed along with it
    const child = spawn('sh', [script, image], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // already exited
      }
    }
    const timer = setTimeout(end, WITHIN_MS)
    signal.addEventListener('abort', end, { once: true })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MOST_SAID)))
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
    child.once('error', (error) => {
      over()
      reject(error)
    })
    child.once('close', (code) => {
      over()
      if (code === 0) return resolve()
      reject(new Error(whyFailed(said) || `the script ended with ${code ?? 'a signal'}`))
    })
  })
}
