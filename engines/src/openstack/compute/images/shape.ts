import { osDistros } from '@mainstay/contract/compute/image-rules'
import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import * as z from 'zod'
import type { Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { requiredTraits } from '../traits'

/** An image as returned by the Glance API, where custom properties are top-level fields. */
export const WireImage = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string(),
  owner: z.string().nullish(),
  size: z.number().nullish(),
  virtual_size: z.number().nullish(),
  disk_format: z.string().nullish(),
  container_format: z.string().nullish(),
  visibility: z.string(),
  protected: z.boolean(),
  os_hidden: z.boolean().default(false),
  min_disk: z.number(),
  min_ram: z.number(),
  tags: z.array(z.string()),
  checksum: z.string().nullish(),
  os_hash_algo: z.string().nullish(),
  os_hash_value: z.string().nullish(),
  created_at: WireTime,
  updated_at: WireTime,
})
export type WireImage = z.output<typeof WireImage>

/**
 * Properties that Mainstay sets. Their values start with the image ID, because Nova and Cinder copy image properties to
 * the objects created from the image.
 */
export const property = {
  /** Set until the upload is complete and verified. */
  uploading: 'mainstay_uploading',
  sha256: 'mainstay_sha256',
  /**
   * Properties that Nova and Horizon read: https://docs.openstack.org/glance/latest/admin/useful-image-properties.html
   */
  description: 'description',
  distro: 'os_distro',
  family: 'os_type',
  firmware: 'hw_firmware_type',
  secureBoot: 'os_secure_boot',
  tpm: 'hw_tpm_version',
  username: 'os_admin_user',
  guestAgent: 'hw_qemu_guest_agent',
  rescueDevice: 'hw_rescue_device',
  rescueBus: 'hw_rescue_bus',
  inputBus: 'hw_input_bus',
  /** Comma-separated list of the stores that failed to import the image. */
  failedImport: 'os_glance_failed_import',
  /**
   * Set while an import still holds the image. Until it is cleared, Glance 25 cannot delete the image, even if the
   * image is already active.
   */
  importTask: 'os_glance_import_task',
} as const

const textAt = (image: WireImage, name: string): string | null => {
  const value = image[name]
  return typeof value === 'string' && value !== '' ? value : null
}
const ownTextAt = (image: WireImage, name: string): string | null => {
  const [id, value] = textAt(image, name)?.split(':', 2) ?? []
  return id === image.id ? (value ?? '') : null
}

/** Whether the image has an incomplete upload from this console. */
export const isHalfUploaded = (image: WireImage): boolean => ownTextAt(image, property.uploading) !== null

/** Whether the cloud is still importing the upload. */
export const isImporting = (image: WireImage): boolean =>
  property.importTask in image || (['uploading', 'importing'].includes(image.status) && !importFailed(image))

const importFailed = (image: WireImage): boolean =>
  textAt(image, property.failedImport) !== null && ['queued', 'uploading', 'importing'].includes(image.status)

function statusOf(image: WireImage): string {
  if (isHalfUploaded(image)) return image.status === 'active' ? 'importing' : 'uploading'
  if (importFailed(image)) return 'error'
  // the upload is complete, but the import has not started
  return image.status === 'uploading' ? 'importing' : image.status
}

/** Returns the OS family of a distribution, including distributions that the contract does not list (`win2k12r2`). */
export const familyOf = (distro: string): Image['os_type'] =>
  osDistros.find(({ id }) => id === distro)?.os ?? (/^win/i.test(distro) ? 'windows' : 'linux')

function systemOf(image: WireImage): Pick<Image, 'os_distro' | 'os_type'> {
  const family = textAt(image, property.family)
  const distro = textAt(image, property.distro) ?? (family === 'windows' ? 'windows' : 'linux')
  return { os_distro: distro, os_type: family === 'windows' || family === 'linux' ? family : familyOf(distro) }
}

function sizesOf(image: WireImage): Pick<Image, 'size' | 'virtual_size' | 'min_disk'> {
  const size = image.size ?? null
  const isIso = image.disk_format === 'iso'
  const virtual_size = image.virtual_size ?? (isIso || image.disk_format === 'raw' ? size : null)
  // volumes created from the image must be large enough to hold it
  const needed = isIso ? 0 : Math.ceil((virtual_size ?? 0) / GiB)
  return { size, virtual_size, min_disk: Math.max(image.min_disk, needed) }
}

/**
 * Returns the digests of the image. The SHA-256 computed during the upload takes precedence over Glance's digest, which
 * may use another algorithm.
 */
function digestsOf(image: WireImage): Pick<Image, 'checksum' | 'os_hash_algo' | 'os_hash_value'> {
  const checksum = image.checksum ?? null
  const sha256 = ownTextAt(image, property.sha256)
  if (sha256 !== null) return { checksum, os_hash_algo: 'sha256', os_hash_value: sha256 }
  return { checksum, os_hash_algo: image.os_hash_algo ?? null, os_hash_value: image.os_hash_value ?? null }
}

const tpmOf = (image: WireImage): Image['hw_tpm_version'] => {
  const version = textAt(image, property.tpm)
  return version === '1.2' || version === '2.0' ? version : null
}

/** Builds the row of an image. `fault`: why the image is in the error state. */
export const imageOf = (image: WireImage, domainId: string, fault: string | null): Image => ({
  id: image.id,
  name: image.name || image.id,
  description: textAt(image, property.description) ?? '',
  status: statusOf(image),
  progress: null,
  fault,
  ...sizesOf(image),
  ...digestsOf(image),
  disk_format: image.disk_format ?? 'detect',
  container_format: image.container_format ?? 'bare',
  type: image.disk_format === 'iso' ? 'iso' : 'template',
  ...systemOf(image),
  tags: image.tags.toSorted(),
  traits: requiredTraits(image).toSorted(),
  min_ram: image.min_ram,
  // the index does not track sharing with individual projects, so shared images appear as private
  visibility: image.visibility === 'public' ? 'public' : 'private',
  protected: image.protected,
  restricted: false,
  hw_firmware_type: textAt(image, property.firmware) === 'uefi' ? 'uefi' : 'bios',
  hw_tpm_version: tpmOf(image),
  os_secure_boot: textAt(image, property.secureBoot) === 'required',
  allow_set_password: /^(yes|true|1)$/i.test(textAt(image, property.guestAgent) ?? ''),
  username: textAt(image, property.username),
  project_id: image.owner ?? '',
  domain_id: domainId,
  created_at: image.created_at,
  updated_at: image.updated_at,
})

const ImageTasks = z.object({ tasks: z.array(z.object({ message: z.string().nullish() })) })

/** Returns why the import failed: the message of the cloud's import task, if it has one. */
async function faultOf({ caller }: Reading, image: WireImage): Promise<string | null> {
  if (image.status === 'killed') return 'The upload of the image failed'
  if (!importFailed(image)) return null
  const told = await caller.get('image', `/images/${image.id}/tasks`, ImageTasks).catch(() => ({ tasks: [] }))
  const words = told.tasks.map(({ message }) => message?.trim()).find(Boolean)
  return words ?? 'The cloud could not import the image'
}

const readImage = async (reading: Reading, image: WireImage): Promise<Image> =>
  imageOf(image, image.owner ? await reading.domainOf(image.owner) : '', await faultOf(reading, image))

const pageSize = 500

export const imageReader = restReader({
  kind: 'image',
  service: 'image',
  path: '/images',
  key: ['images', null],
  item: WireImage,
  query: { visibility: 'all', limit: pageSize },
  // the owner has hidden the image from lists
  row: (image, reading) => (image.os_hidden ? null : readImage(reading, image)),
  isBusy: ({ status }) => status === 'importing' || status === 'saving',
})
