import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { badField } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { imageOf, WireImage } from './shape'

/** An image that may be booted or copied here, refused at `field` otherwise. Which ones those are is the cloud's to say. */
export async function usableImage(cloud: ServiceClient, id: string, field: string): Promise<Image> {
  const found = await unlessGone(cloud.get('image', `/images/${encodeURIComponent(id)}`, WireImage))
  if (!found) throw badField(field, 'This image does not exist')
  const image = imageOf(found, '', null)
  if (image.status === 'active') return image
  throw badField(field, `This image is ${image.status}; only an active one can be used`)
}

/** Refuses an image from which no disk of this size can be made, at the field that chose it or its size. */
export function checkHolds(image: Image, sizeBytes: number, field: { image: string; size: string }): void {
  if (image.type === 'iso') throw badField(field.image, 'An ISO is not copied to a volume; mount it as a CD-ROM')
  const needed = Math.max(image.min_disk * GiB, image.virtual_size ?? 0)
  if (sizeBytes < needed) throw badField(field.size, `Use at least ${Math.ceil(needed / GiB)} GiB for this image`)
}
