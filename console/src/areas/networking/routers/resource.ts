import { routerKind, routers } from '@mainstay/contract/networking/routers'
import { resource } from '../../../nav/resource'
import { RouterIcon } from '../../../ui/icons'

export const routerResource = resource({
  kind: routerKind,
  calls: routers,
  area: 'networking',
  words: 'routers',
  path: 'compute/routers',
  menu: { group: 'network', icon: RouterIcon, label: 'menu.routers' },
})
