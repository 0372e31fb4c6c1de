import { routerKind, routers } from '@mainstay/contract/networking/routers'
import { resource } from '../../../nav/resource'

export const routerResource = resource({
  kind: routerKind,
  calls: routers,
  area: 'networking',
  words: 'routers',
  path: 'compute/routers',
  menu: { in: 'network.networks', icon: 'RouterIcon', label: 'menu.routers' },
})
