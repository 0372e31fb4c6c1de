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
import * as z from 'zod'
import { formatNow } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'

/** Minimum volume size for this image, derived from its `min_disk` and virtual size. */
export const leastSizeOf = (image: Pick<Image, 'min_disk' | 'virtual_size'> | null): number =>
  Math.max(MIN_VOLUME_BYTES, (image?.min_disk ?? 0) * GiB, Math.ceil((image?.virtual_size ?? 0) / GiB) * GiB)

/** Reports an empty field; all other checks come from the contract. */
const sizeField = (t: Translate<'storage'>) => z.number({ error: () => t('volumes.sizeMissing') }).pipe(StorageSize)

// Run these cross-field rules even if single fields have errors, so that all errors are reported together.
const always = { when: () => true }

/** Schema for the form that creates a volume; sizes in bytes. */
export const volumeForm = (t: Translate<'storage'>) =>
  z
    .object({
      source: z.enum(['blank', 'image']),
      image_id: z.string().nullable(),
      /** Minimum size for the selected image. */
      image_least: z.number(),
      name: ResourceName,
      description: Description,
      size: sizeField(t),
      bootable: z.boolean(),
    })
    .refine(({ source, image_id: image }) => source === 'blank' || image !== null, {
      path: ['image_id'],
      message: t('volumes.imageMissing'),
      ...always,
    })
    .refine(({ source, size, image_least: least }) => source === 'blank' || typeof size !== 'number' || size >= least, {
      path: ['size'],
      error: ({ input }) =>
        t('volumes.sizeHelp', { size: formatNow().bytes((input as { image_least: number }).image_least) }),
      ...always,
    })
export type VolumeForm = z.output<ReturnType<typeof volumeForm>>

export const emptyVolumeForm = (image: Image | null = null): VolumeForm => ({
  source: image ? 'image' : 'blank',
  image_id: image?.id ?? null,
  image_least: leastSizeOf(image),
  name: image?.name ?? '',
  description: '',
  size: leastSizeOf(image),
  bootable: false,
})

/** The request body. Volumes created from an image are bootable automatically. */
export const volumeDraftOf = ({ source, image_id: image, ...form }: VolumeForm): VolumeDraft => ({
  name: form.name,
  description: form.description,
  size: form.size,
  image_id: source === 'image' ? image : null,
  bootable: source === 'blank' && form.bootable,
})

/** The new size must be larger. */
export const extendForm = (t: Translate<'storage'>, volume: Pick<Volume, 'size'>) =>
  z.object({
    size: sizeField(t).refine(
      (bytes) => bytes > volume.size,
      t('volumes.sizeLarger', { size: formatNow().bytes(volume.size) }),
    ),
  })

/** A clone cannot be smaller than its source. */
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

/** Only the changed fields, so that concurrent edits to different fields do not overwrite each other. */
export const changeOf = (volume: Volume, form: VolumeEdit): VolumeChange => ({
  ...(form.name !== volume.name && { name: form.name }),
  ...(form.description !== volume.description && { description: form.description }),
  ...(form.bootable !== volume.bootable && { bootable: form.bootable }),
})
