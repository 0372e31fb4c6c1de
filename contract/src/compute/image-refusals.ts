import type { Problem } from '../core/problems'
import { problem } from '../core/problems'
import { imageDeleteBlocked } from './image-rules'

/** Returns the error for deleting an image that `imageDeleteBlocked` protects, or null if it can be deleted. */
export function whyImageStays(image: { protected: boolean; status: string }): Problem | null {
  const blocked = imageDeleteBlocked(image)
  if (blocked === 'protected') return problem('compute.image_protected')
  return blocked === 'busy' ? problem('compute.image_not_now', { status: image.status }) : null
}
