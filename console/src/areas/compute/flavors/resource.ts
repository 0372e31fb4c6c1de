import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { resource } from '../../../nav/resource'

export const flavorResource = resource({
  kind: flavorKind,
  calls: flavors,
  area: 'compute',
  words: 'flavors',
  path: 'compute/flavors',
  // operators make flavors; everybody else meets them where one is chosen
  menu: { in: 'compute.cluster', icon: 'FlavorIcon', label: 'menu.flavors', needs: flavors.create.needs },
})
