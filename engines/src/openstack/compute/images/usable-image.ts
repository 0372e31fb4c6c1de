import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { imageOf, WireImage } from './shape'

/** Returns an active image that the cloud lets the caller use. Otherwise throws an error on `field`. */
export async function usableImage(cloud: ServiceClient, id: string, field: string): Promise<Image> {
  const found = await unlessGone(cloud.get('image', `/images/${encodeURIComponent(id)}`, WireImage))
  if (!found) throw fieldProblem(field, 'compute.no_such_image')
  const image = imageOf(found, '', null)
  if (image.status === 'active') return image
  throw fieldProblem(field, 'compute.image_not_active', { status: image.status })
}

/** Throws if the image does not fit on a disk of this size. The error is on the image field or the size field. */
export function checkHolds(image: Image, sizeBytes: number, field: { image: string; size: string }): void {
  if (image.type === 'iso') throw fieldProblem(field.image, 'compute.iso_is_not_copied')
  const needed = Math.max(image.min_disk * GiB, image.virtual_size ?? 0)
  if (sizeBytes < needed) throw fieldProblem(field.size, 'compute.size_for_image', { least: Math.ceil(needed / GiB) })
}
