import { imageKind, images } from '@mainstay/contract/compute/images'
import { resource } from '../../../nav/resource'

/** Images are not in the menu (S1§2); they are reached from what is made of them. */
export const imageResource = resource({
  kind: imageKind,
  calls: images,
  area: 'images',
  words: 'images',
  path: 'compute/images',
})
