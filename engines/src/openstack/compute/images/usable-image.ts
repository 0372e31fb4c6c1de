import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { imageOf, WireImage } from './shape'

/** An image that may be booted or copied here, refused at `field` otherwise. Which ones those are is the cloud's to say. */
export async function usableImage(cloud: ServiceClient, id: string, field: string): Promise<Image> {
  const found = await unlessGone(cloud.get('image', `/images/${encodeURIComponent(id)}`, WireImage))
  if (!found) throw fieldProblem(field, 'compute.no_such_image')
  const image = imageOf(found, '', null)
  if (image.status === 'active') return image
  throw fieldProblem(field, 'compute.image_not_active', { status: image.status })
}

/** Refuses an image from which no disk of this size can be made, at the field that chose it or its size. */
export function checkHolds(image: Image, sizeBytes: number, field: { image: string; size: string }): void {
  if (image.type === 'iso') throw fieldProblem(field.image, 'compute.iso_is_not_copied')
  const needed = Math.max(image.min_disk * GiB, image.virtual_size ?? 0)
  if (sizeBytes < needed) throw fieldProblem(field.size, 'compute.size_for_image', { least: Math.ceil(needed / GiB) })
}
