import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { resource } from '../../../nav/resource'

export const flavorResource = resource({
  kind: flavorKind,
  calls: flavors,
  area: 'compute',
  words: 'flavors',
  path: 'compute/flavors',
  // only operators manage flavors; other users only see them in pickers
  menu: { in: 'compute.cluster', icon: 'FlavorIcon', label: 'menu.flavors', needs: flavors.create.needs },
})
