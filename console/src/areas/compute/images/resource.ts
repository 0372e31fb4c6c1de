import { imageKind, images } from '@mainstay/contract/compute/images'
import { resource } from '../../../nav/resource'
import { instanceResource } from '../instances/resource'

/** Images have no menu entry (S1§2): their list is a tab next to the virtual machines. */
export const imageResource = resource({
  kind: imageKind,
  calls: images,
  area: 'images',
  words: 'images',
  path: 'compute/images',
  isTyped: true,
  menu: { tabOf: instanceResource.path, icon: 'ImageIcon', label: 'menu.images' },
})
