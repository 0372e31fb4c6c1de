import type { Problem } from '../core/problems'
import { problem } from '../core/problems'
import { imageDeleteBlocked } from './image-rules'

/** The refusal of deleting an image that `imageDeleteBlocked` keeps; null where nothing does. */
export function whyImageStays(image: { protected: boolean; status: string }): Problem | null {
  const blocked = imageDeleteBlocked(image)
  if (blocked === 'protected') return problem('compute.image_protected')
  return blocked === 'busy' ? problem('compute.image_not_now', { status: image.status }) : null
}
