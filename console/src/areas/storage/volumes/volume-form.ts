import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { Description, ResourceName } from '@mainstay/contract/core/names'
import {
  MIN_VOLUME_BYTES,
  StorageSize,
  type Volume,
  type VolumeChange,
  type VolumeDraft,
} from '@mainstay/contract/storage/volumes'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import * as z from 'zod'
import { formatNow } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'

/** Minimum volume size for this image, derived from its `min_disk` and virtual size. */
export const leastSizeOf = (image: Pick<Image, 'min_disk' | 'virtual_size'> | null): number =>
  Math.max(MIN_VOLUME_BYTES, (image?.min_disk ?? 0) * GiB, Math.ceil((image?.virtual_size ?? 0) / GiB) * GiB)

/** Minimum volume size for this snapshot: the size of its volume at that time. */
export const leastSizeOfSnapshot = (snapshot: Pick<VolumeSnapshot, 'size'> | null): number =>
  Math.max(MIN_VOLUME_BYTES, Math.ceil((snapshot?.size ?? 0) / GiB) * GiB)

/** Reports an empty field; all other checks come from the contract. */
const sizeField = (t: Translate<'storage'>) => z.number({ error: () => t('volumes.sizeMissing') }).pipe(StorageSize)

/** The fields that determine the minimum size. */
interface Sources {
  source: 'blank' | 'image' | 'snapshot'
  image_least: number
  snapshot_least: number
}

// Run these cross-field rules even if single fields have errors, so that all errors are reported together.
const always = { when: () => true }

/** Schema for the form that creates a volume; sizes in bytes. */
export const volumeForm = (t: Translate<'storage'>) =>
  z
    .object({
      source: z.enum(['blank', 'image', 'snapshot']),
      image_id: z.string().nullable(),
      /** Minimum size for the selected image. */
      image_least: z.number(),
      snapshot_id: z.string().nullable(),
      /** Minimum size for the selected snapshot. */
      snapshot_least: z.number(),
      name: ResourceName,
      description: Description,
      size: sizeField(t),
      bootable: z.boolean(),
    })
    .refine(({ source, image_id: image }) => source !== 'image' || image !== null, {
      path: ['image_id'],
      message: t('volumes.imageMissing'),
      ...always,
    })
    .refine(({ source, snapshot_id: snapshot }) => source !== 'snapshot' || snapshot !== null, {
      path: ['snapshot_id'],
      message: t('snapshots.missing'),
      ...always,
    })
    .refine((form) => typeof form.size !== 'number' || form.size >= leastOf(form), {
      path: ['size'],
      error: ({ input }) => sizeHelp(input as Sources, t),
      ...always,
    })
export type VolumeForm = z.output<ReturnType<typeof volumeForm>>

/** The minimum size for the selected source; 0 for a blank volume, whose size the contract checks. */
const leastOf = ({ source, image_least: ofImage, snapshot_least: ofSnapshot }: Sources): number =>
  source === 'image' ? ofImage : source === 'snapshot' ? ofSnapshot : 0

/** States the minimum size for an image or a snapshot. */
export const sizeHelp = (form: Sources, t: Translate<'storage'>): string =>
  t(form.source === 'image' ? 'volumes.sizeHelp' : 'snapshots.sizeHelp', { size: formatNow().bytes(leastOf(form)) })

interface VolumeSource {
  image?: Image | undefined
  snapshot?: VolumeSnapshot | undefined
}

/** The initial values, which depend on the preselected source, if any. */
export const emptyVolumeForm = ({ image, snapshot }: VolumeSource = {}): VolumeForm => ({
  source: image ? 'image' : snapshot ? 'snapshot' : 'blank',
  image_id: image?.id ?? null,
  image_least: leastSizeOf(image ?? null),
  snapshot_id: snapshot?.id ?? null,
  snapshot_least: leastSizeOfSnapshot(snapshot ?? null),
  name: (image ?? snapshot)?.name ?? '',
  description: '',
  size: snapshot ? leastSizeOfSnapshot(snapshot) : leastSizeOf(image ?? null),
  bootable: false,
})

/** The request body. The server decides whether a volume from an image or a snapshot is bootable. */
export const volumeDraftOf = ({ source, ...form }: VolumeForm): VolumeDraft => ({
  name: form.name,
  description: form.description,
  size: form.size,
  image_id: source === 'image' ? form.image_id : null,
  ...(source === 'snapshot' && { snapshot_id: form.snapshot_id }),
  bootable: source === 'blank' && form.bootable,
})

/** Schema for extending a volume: the new size must be larger than the current one. */
export const extendForm = (t: Translate<'storage'>, volume: Pick<Volume, 'size'>) =>
  z.object({
    size: sizeField(t).refine(
      (bytes) => bytes > volume.size,
      t('volumes.sizeLarger', { size: formatNow().bytes(volume.size) }),
    ),
  })

/** Schema for cloning a volume: a clone cannot be smaller than its source. */
export const cloneForm = (t: Translate<'storage'>, volume: Pick<Volume, 'size'>) =>
  z.object({
    name: ResourceName,
    size: sizeField(t).refine(
      (bytes) => bytes >= volume.size,
      t('volumes.sizeAtLeast', { size: formatNow().bytes(volume.size) }),
    ),
  })

export const volumeEditForm = z.object({ name: ResourceName, description: Description, bootable: z.boolean() })
export type VolumeEdit = z.output<typeof volumeEditForm>

/** Returns only the changed fields, so that concurrent edits to different fields do not overwrite each other. */
export const changeOf = (volume: Volume, form: VolumeEdit): VolumeChange => ({
  ...(form.name !== volume.name && { name: form.name }),
  ...(form.description !== volume.description && { description: form.description }),
  ...(form.bootable !== volume.bootable && { bootable: form.bootable }),
})
