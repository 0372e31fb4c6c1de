import { floatingIpKind, floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { resource, type ResourceCalls } from '../../../nav/resource'

/** Floating IPs have no name, so their address is used as the name. */
export interface NamedFloatingIp extends FloatingIp {
  name: string
}
export const named = (it: FloatingIp): NamedFloatingIp => ({ ...it, name: it.floating_ip_address })

const { list, view, create, delete: remove } = floatingIps

export const floatingIpResource = resource({
  kind: floatingIpKind,
  calls: { list, view, create, delete: remove } as unknown as Required<
    Pick<ResourceCalls<NamedFloatingIp>, 'list' | 'view' | 'create' | 'delete'>
  >,
  area: 'networking',
  words: 'floatingIps',
  path: 'compute/floating-ips',
  menu: { in: 'network.networks', icon: 'FloatingIpIcon', label: 'menu.floatingIps' },
})
