import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { resource } from '../../../nav/resource'

export const networkResource = resource({
  kind: networkKind,
  // the form selects which create call to use
  calls: { ...networks, create: networks.createPrivate },
  area: 'networking',
  words: 'networks',
  path: 'compute/networks',
  menu: { in: 'network.networks', icon: 'NetworkIcon', label: 'menu.networks', key: 'n' },
})
