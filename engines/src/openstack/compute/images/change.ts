import type { ImageChange, ImageDraft } from '@mainstay/contract/compute/images'
import type { ImageContent } from '../../../image-files/inspect-image'
import { familyOf, property, type WireImage } from './shape'

/** Formats that have a different name in Glance. */
const glanceFormats: Partial<Record<ImageContent, string>> = { vpc: 'vhd', parallels: 'ploop' }

/**
 * Returns the request body for a new image. `protected` is set only after the upload, so that a failed upload can be
 * deleted.
 */
export function wireDraft(id: string, draft: ImageDraft, found: ImageContent): Record<string, unknown> {
  const format = draft.disk_format === 'detect' ? (glanceFormats[found] ?? found) : draft.disk_format
  return {
    id,
    name: draft.name,
    disk_format: format,
    // for Amazon formats, Glance requires the container format to match the disk format
    container_format: ['ami', 'aki', 'ari'].includes(format) ? format : 'bare',
    visibility: draft.visibility,
    min_disk: draft.min_disk,
    min_ram: draft.min_ram,
    tags: [...new Set(draft.tags)],
    [property.uploading]: id,
    [property.distro]: draft.os_distro,
    [property.family]: familyOf(draft.os_distro),
    [property.firmware]: draft.hw_firmware_type,
    ...rescueProperties(format, draft),
    ...inputProperties(draft),
    ...(draft.description !== '' && { [property.description]: draft.description }),
    ...(draft.os_secure_boot && { [property.secureBoot]: 'required' }),
    ...(draft.hw_tpm_version !== null && { [property.tpm]: draft.hw_tpm_version }),
  }
}

/**
 * Returns the properties for rescue disks. Nova can rescue a volume-backed instance only from an image that specifies
 * the bus and device of the rescue disk.
 */
const rescueProperties = (format: string, { os_distro }: ImageDraft) => ({
  [property.rescueDevice]: format === 'iso' ? 'cdrom' : 'disk',
  // Windows ships without virtio drivers
  [property.rescueBus]: format === 'iso' || familyOf(os_distro) === 'windows' ? 'sata' : 'virtio',
})

/**
 * Returns the properties for the keyboard. From the second start on, Nova 26 gives every instance a USB keyboard, which
 * receives all keystrokes even if the guest has no USB driver, as is common in cloud kernels. With a virtio keyboard,
 * keystrokes go to the PS/2 keyboard until the guest has loaded the virtio driver.
 */
const inputProperties = ({ os_distro }: ImageDraft) =>
  familyOf(os_distro) === 'windows' ? {} : { [property.inputBus]: 'virtio' }

/** One operation of a JSON patch; `add` overwrites an existing value. */
export interface PatchStep {
  op: 'add' | 'replace' | 'remove'
  path: string
  value?: unknown
}
export const patchType = { 'content-type': 'application/openstack-images-v2.1-json-patch' }

const stepTo = (name: string, value: unknown): PatchStep => ({ op: 'replace', path: `/${name}`, value })

/** Sets a property; null removes it. */
function propertyStep(image: WireImage, name: string, value: string | null): PatchStep[] {
  if (value !== null) return [{ op: 'add', path: `/${name}`, value }]
  return name in image ? [{ op: 'remove', path: `/${name}` }] : []
}

/** Returns a JSON patch that marks the upload as complete and verified. */
export const uploadedSteps = (id: string, sha256: string, isProtected: boolean): PatchStep[] => [
  { op: 'remove', path: `/${property.uploading}` },
  { op: 'add', path: `/${property.sha256}`, value: `${id}:${sha256}` },
  ...(isProtected ? [stepTo('protected', true)] : []),
]

/** Returns a JSON patch that applies a change to an image. */
export function changeSteps(image: WireImage, change: ImageChange): PatchStep[] {
  const { name, description, os_distro, visibility, tags, username, allow_set_password } = change
  const plain = (['protected', 'min_disk', 'min_ram'] as const).flatMap((field) =>
    change[field] === undefined ? [] : [stepTo(field, change[field])],
  )
  return [
    ...(name === undefined ? [] : [stepTo('name', name)]),
    ...plain,
    ...(tags === undefined ? [] : [stepTo('tags', [...new Set(tags)])]),
    // an image shared with individual projects appears as private, so keep its visibility
    ...(visibility === undefined || (visibility === 'public') === (image.visibility === 'public')
      ? []
      : [stepTo('visibility', visibility)]),
    ...(description === undefined ? [] : propertyStep(image, property.description, description || null)),
    ...(os_distro === undefined
      ? []
      : [
          ...propertyStep(image, property.distro, os_distro),
          ...propertyStep(image, property.family, familyOf(os_distro)),
        ]),
    ...(username === undefined ? [] : propertyStep(image, property.username, username)),
    ...(allow_set_password === undefined
      ? []
      : propertyStep(image, property.guestAgent, allow_set_password ? 'yes' : 'no')),
  ]
}
