import type { ImageChange, ImageDraft } from '@mainstay/contract/compute/images'
import type { ImageContent } from '../../../image-files/inspect-image'
import { familyOf, property, type WireImage } from './shape'

/** Glance's names of what was found in a file. */
const glanceFormats: Partial<Record<ImageContent, string>> = { vpc: 'vhd', parallels: 'ploop' }

/** What a record is made of before its bytes come. Protection comes with the last of them. */
export function wireDraft(id: string, draft: ImageDraft, found: ImageContent): Record<string, unknown> {
  const format = draft.disk_format === 'detect' ? (glanceFormats[found] ?? found) : draft.disk_format
  return {
    id,
    name: draft.name,
    disk_format: format,
    // of Amazon's images Glance wants the container to be named like what is in it
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

/** Nova rescues what boots from a volume only with an image that says how it is to be connected. */
const rescueProperties = (format: string, { os_distro }: ImageDraft) => ({
  [property.rescueDevice]: format === 'iso' ? 'cdrom' : 'disk',
  // Windows brings no driver for virtio
  [property.rescueBus]: format === 'iso' || familyOf(os_distro) === 'windows' ? 'sata' : 'virtio',
})

/**
 * Nova 26 gives every machine a USB keyboard from its second start on, which takes all keys whether or not the guest
 * knows USB; kernels for clouds do not. One on virtio leaves the keys to PS/2 until the guest drives it.
 */
const inputProperties = ({ os_distro }: ImageDraft) =>
  familyOf(os_distro) === 'windows' ? {} : { [property.inputBus]: 'virtio' }

/** One step of a JSON patch; `add` replaces what is there. */
export interface PatchStep {
  op: 'add' | 'replace' | 'remove'
  path: string
  value?: unknown
}
export const patchType = { 'content-type': 'application/openstack-images-v2.1-json-patch' }

const stepTo = (name: string, value: unknown): PatchStep => ({ op: 'replace', path: `/${name}`, value })

/** A property as it is to be; null takes it away. */
function propertyStep(image: WireImage, name: string, value: string | null): PatchStep[] {
  if (value !== null) return [{ op: 'add', path: `/${name}`, value }]
  return name in image ? [{ op: 'remove', path: `/${name}` }] : []
}

/** All bytes were seen, and are as they should be. */
export const uploadedSteps = (id: string, sha256: string, isProtected: boolean): PatchStep[] => [
  { op: 'remove', path: `/${property.uploading}` },
  { op: 'add', path: `/${property.sha256}`, value: `${id}:${sha256}` },
  ...(isProtected ? [stepTo('protected', true)] : []),
]

/** How the cloud's image becomes as it is to be. */
export function changeSteps(image: WireImage, change: ImageChange): PatchStep[] {
  const { name, description, os_distro, visibility, tags, username, allow_set_password } = change
  const plain = (['protected', 'min_disk', 'min_ram'] as const).flatMap((field) =>
    change[field] === undefined ? [] : [stepTo(field, change[field])],
  )
  return [
    ...(name === undefined ? [] : [stepTo('name', name)]),
    ...plain,
    ...(tags === undefined ? [] : [stepTo('tags', [...new Set(tags)])]),
    // an image that is shared with some looks private here, and stays as it is
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
