import type { TopologyNode } from '@mainstay/contract/networking/topology'
import type { Key } from '../../../i18n/catalogues'
import { FloatingIpIcon, InstanceIcon, NetworkIcon, PortIcon, RouterIcon, type Icon } from '../../../ui/icons'

export const nodeIcons: Readonly<Record<TopologyNode['kind'], Icon>> = {
  outside: FloatingIpIcon,
  external_network: FloatingIpIcon,
  router: RouterIcon,
  network: NetworkIcon,
  instance: InstanceIcon,
  port: PortIcon,
}

/** The kinds that have pages, by the kind of a node. */
export const pageKinds: Readonly<Partial<Record<TopologyNode['kind'], string>>> = {
  external_network: 'network',
  router: 'router',
  network: 'network',
  instance: 'server',
}

export const kindKeys: Readonly<Record<TopologyNode['kind'], Key<'networking'>>> = {
  outside: 'topology.outside',
  external_network: 'networks.external',
  router: 'routers.one',
  network: 'networks.one',
  instance: 'topology.machine',
  port: 'topology.port',
}
export const columnKeys: readonly Key<'networking'>[] = [
  'topology.columnOutside',
  'topology.columnGateways',
  'topology.columnNetworks',
  'topology.columnAttached',
]
