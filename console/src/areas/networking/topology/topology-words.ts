import type { Key } from '../../../i18n/catalogues'
import {
  FloatingIpIcon,
  InstanceIcon,
  LoadBalancerIcon,
  NetworkIcon,
  PeerIcon,
  PortIcon,
  RouterIcon,
  type Icon,
} from '../../../ui/icons'
import type { TopologyNode } from '@mainstay/contract/networking/topology'

export const nodeIcons: Readonly<Record<TopologyNode['kind'], Icon>> = {
  outside: FloatingIpIcon,
  external_network: FloatingIpIcon,
  router: RouterIcon,
  network: NetworkIcon,
  load_balancer: LoadBalancerIcon,
  instance: InstanceIcon,
  port: PortIcon,
  peer: PeerIcon,
}

/** Resource kinds that have a page, keyed by node kind. */
export const pageKinds: Readonly<Partial<Record<TopologyNode['kind'], string>>> = {
  external_network: 'network',
  router: 'router',
  network: 'network',
  instance: 'server',
  load_balancer: 'load_balancer',
  peer: 'ipsec_site_connection',
}

export const kindKeys: Readonly<Record<TopologyNode['kind'], Key<'networking'>>> = {
  outside: 'topology.outside',
  external_network: 'networks.external',
  router: 'routers.one',
  network: 'networks.one',
  instance: 'topology.machine',
  load_balancer: 'topology.balancer',
  port: 'topology.port',
  peer: 'topology.peer',
}
export const columnKeys: readonly Key<'networking'>[] = [
  'topology.columnOutside',
  'topology.columnGateways',
  'topology.columnNetworks',
  'topology.columnAttached',
]
