import { createReadStream } from 'node:fs'
import type { Image, ImageDraft } from '@mainstay/contract/compute/images'
import { SAMPLE_TAG } from '@mainstay/contract/compute/image-rules'
import type { ImagesPort } from '../../../ports/compute'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { buildGuest } from '../../guest-build'

/** The sample image: the path of its file, and the script that builds the file if it is missing. */
export interface SampleImage {
  image: string
  script: string
  /**
   * Called with null once the image has become available, or with the reason if it could not be created. Not called if
   * the image was already available.
   */
  onOutcome?: (failure: string | null) => void
}

/** Key of the record that this cloud has had its sample image. The name is from the first release; servers share it. */
const RECORD = ['try-out-guest', 'image'] as const
/** Name and tag of the image in the first release. */
const FORMER = { name: 'Try-out guest', tag: 'try-out' }

const draft: ImageDraft = {
  name: 'Sample image',
  description: 'A small Linux system with a shell on its console. It needs no SSH key, password or internet access.',
  disk_format: 'detect',
  os_distro: 'linux',
  protected: false,
  visibility: 'public',
  hw_tpm_version: null,
  hw_firmware_type: 'bios',
  os_secure_boot: false,
  min_disk: 0,
  min_ram: 96,
  tags: [SAMPLE_TAG],
}

/**
 * Publishes the sample image, once in the lifetime of this cloud: if it is deleted, it is not created again. If it cannot
 * be built, logs the reason; the next start tries again.
 */
export async function offerSampleImage(
  engine: Engine,
  images: Pick<ImagesPort, 'create'>,
  { sample, owner, signal }: { sample: SampleImage; owner: ProjectScope; signal: AbortSignal },
): Promise<void> {
  const { records, log } = engine
  const existing = await records.transaction((tx) => findSample(tx, owner))
  if (existing?.isRecorded) return
  let id = existing?.id
  if (id === undefined) {
    try {
      await buildGuest(sample, signal)
      if (signal.aborted) return
      id = (await images.create(owner, draft, createReadStream(sample.image, { signal }))).id
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'no sample image: failed to create it')
      sample.onOutcome?.(reason)
      return
    }
  }
  await records.transaction((tx) => tx.putPrivate(...RECORD, { id }))
  sample.onOutcome?.(null)
}

/**
 * Finds the sample image that this cloud has, or had before it was deleted; null if it never had one. An image with its
 * former name and tag gets the current ones.
 */
async function findSample(
  tx: RecordsTransaction,
  { project_id }: ProjectScope,
): Promise<{ id: string; isRecorded: boolean } | null> {
  const recorded = await tx.getPrivate<{ id: string }>(...RECORD)
  // an image that an earlier server created, but did not record before it stopped
  const [unrecorded] =
    recorded === null
      ? await tx.find<Image>('image', { project_id, tags: { hasAny: [SAMPLE_TAG, FORMER.tag] } }, 1)
      : []
  const id = recorded?.id ?? unrecorded?.id
  if (id === undefined) return null
  const image = await tx.lock<Image>('image', id)
  if (image?.tags.includes(FORMER.tag)) {
    const name = image.name === FORMER.name ? draft.name : image.name
    const tags = image.tags.map((tag) => (tag === FORMER.tag ? SAMPLE_TAG : tag))
    await tx.put('image', { ...image, name, tags, updated_at: new Date().toISOString() })
  }
  return { id, isRecorded: recorded !== null }
}
