import { invalidState, Problem } from '../core/problems'
import { imageDeleteBlocked } from './image-rules'

/** The refusal of deleting an image that `imageDeleteBlocked` keeps; null where nothing does. */
export function whyImageStays(image: { protected: boolean; status: string }): Problem | null {
  const blocked = imageDeleteBlocked(image)
  if (blocked === 'protected')
    return new Problem('image_protected', 'The image is protected; take the protection off first')
  return blocked === 'busy' ? invalidState(`The image is ${image.status}`, image.status) : null
}
