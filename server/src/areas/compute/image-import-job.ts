import { imageKind, ImageDraft, type Image } from '@mainstay/contract/compute/images'
import * as z from 'zod'
import { job } from '../../module'
import { checksumIn } from '../../proxies/image-imports/checksum-list'
import { inProject } from '../../session/in-project'
import type { RunOf } from '../../tasks/job'
import type { Tools } from '../../tools'

const { shape } = ImageDraft
const Args = z.strictObject({
  url: z.string(),
  name: shape.name,
  disk_format: shape.disk_format,
  os_distro: shape.os_distro,
  hw_firmware_type: shape.hw_firmware_type,
  min_ram: shape.min_ram,
  min_disk: shape.min_disk,
  username: z.string().nullable(),
  checksum: z.string().nullable(),
  checksum_url: z.string().nullable(),
  begun_at: z.string(),
})
export type ImportArgs = z.infer<typeof Args>

/** Derives an image name from the file name in a URL. Resource names must begin with a letter. */
export function nameOfFile(url: URL): string {
  const stem = fileOf(url)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
    .trim()
  const name = /^\p{L}/u.test(stem) ? stem : `image ${stem}`
  return name.slice(0, 200).replace(/[\s-]+$/, '')
}

function fileOf({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Returns the image that an interrupted attempt created, if any. */
async function madeBefore({ args, scope }: RunOf<ImportArgs>, { inventory }: Tools): Promise<Image | undefined> {
  const { data } = await inventory.list<Image>(imageKind, scope, {
    ...{ limit: 20, sort: 'created_at:desc', name: `exact:${args.name}` },
  })
  return data.find(
    ({ project_id, created_at, status }) =>
      project_id === scope.project_id && created_at >= args.begun_at && (status === 'active' || status === 'importing'),
  )
}

/** Downloads a file and creates an image from it. An interrupted import discards partial data and starts over. */
export const importing = job({
  name: 'compute.image.fetch',
  args: Args,
  pool: 'transfer',
  async run(run, tools) {
    const { args, signal, attempt, progress } = run
    const scope = inProject(run.scope)
    const before = attempt > 1 ? await madeBefore(run, tools) : undefined
    if (before) return { id: before.id }
    const { outside } = tools.imageImports
    const url = new URL(args.url)
    const checksum =
      args.checksum_url === null
        ? args.checksum
        : checksumIn(await outside.text(new URL(args.checksum_url), signal), fileOf(url))
    const bytes = await outside.file(url, {
      signal,
      checksum,
      onProgress: (percent) => progress(Math.min(99, percent)),
    })
    const { name, disk_format, os_distro, hw_firmware_type, min_ram, min_disk } = args
    const draft = {
      ...{ name, disk_format, os_distro, hw_firmware_type, min_ram, min_disk, description: `From ${url.host}` },
      ...{ protected: false, visibility: 'private', hw_tpm_version: null, os_secure_boot: false, tags: [] },
    } satisfies ImageDraft
    try {
      const image = await tools.ports.compute.images.create(scope, draft, bytes)
      if (args.username !== null) await tools.ports.compute.images.update(scope, image.id, { username: args.username })
      return { id: image.id }
    } finally {
      bytes.destroy()
    }
  },
})
