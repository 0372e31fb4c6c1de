import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { resource } from '../../../nav/resource'

export const networkResource = resource({
  kind: networkKind,
  // which of the ways to make one is taken is chosen in the form
  calls: { ...networks, create: networks.createPrivate },
  area: 'networking',
  words: 'networks',
  path: 'compute/networks',
  menu: { in: 'network.networks', icon: 'NetworkIcon', label: 'menu.networks', key: 'n' },
})
