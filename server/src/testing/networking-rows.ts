import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Router, RouterInterface } from '@mainstay/contract/networking/routers'
import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { Subnet } from '@mainstay/contract/networking/subnets'

/* Networking rows as reported by an engine, for specs of the server. */

interface Owner {
  project_id: string
  domain_id: string
}
const created_at = '2026-11-25T22:00:00.000Z'
const times = { created_at, updated_at: created_at }

/** A network with one subnet per range; subnet IDs are `NETWORK-VERSION`. */
export function networkRow(owner: Owner, id: string, cidrs: readonly string[], more: Partial<Network> = {}): Network {
  const subnets = cidrs.map((cidr): Subnet => {
    const version = cidr.includes(':') ? 6 : 4
    const base = cidr.split('/')[0]!.replace(/\.0$/, '')
    const at = (host: number) => (version === 4 ? `${base}.${host}` : `${base}${host.toString(16)}`)
    return {
      ...{ id: `${id}-${version}`, name: `${id} IPv${version}`, network_id: id, cidr, ip_version: version },
      allocation_pools: [{ start: at(10), end: at(19) }],
      ...{ dns_nameservers: [at(2)], gateway_ip: at(1), enable_dhcp: true },
      ...{ ipv6_ra_mode: version === 6 ? 'slaac' : null, ipv6_address_mode: version === 6 ? 'slaac' : null },
      ...{ shared: false, ...owner, created_at },
    }
  })
  return {
    ...{ id, name: id, status: 'ACTIVE', type: 'vxlan', subnets, shared: false, ipam_enabled: cidrs.length > 0 },
    ...{ router_external: false, physical_network: null, vlan_id: null, mtu: 1450, rbac_policies: [] },
    ...{ spoofing_protection: true, default_vnic_type: 'normal', ...owner, created_at },
    ...more,
  }
}

/** An instance's port, unless `more` says otherwise. */
export const portRow = (
  owner: Owner,
  id: string,
  network: Network,
  addresses: string[],
  more: Partial<Port> = {},
): Port => ({
  ...{ id, name: '', description: '', network_id: network.id, network_name: network.name, status: 'ACTIVE' },
  ...{ admin_state_up: true, mac_address: macOf(id), device_id: `vm-${id}`, device_name: `VM ${id}` },
  fixed_ips: addresses.map((ip_address) => ({
    subnet_id: `${network.id}-${ip_address.includes(':') ? 6 : 4}`,
    ip_address,
  })),
  ...{ device_owner: deviceOwners.instance, 'binding:vnic_type': 'normal', 'binding:host_id': null },
  ...{ spoofing_protection: true, security_groups: [], floating_ips: [], tags: [], ...owner, ...times },
  ...more,
})

/** Derives a unique MAC address from an ID. */
function macOf(id: string): string {
  const number = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 0x1000000, 7)
  const digits = number.toString(16).padStart(6, '0')
  return `52:54:01:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}`
}

const legRow = (network: Network, ip_address: string, is_external: boolean): RouterInterface => ({
  ...{
    port_id: `leg-${network.id}`,
    network_id: network.id,
    network_name: network.name,
    mac_address: macOf(network.id),
  },
  ...{ fixed_ips: [{ subnet_id: `${network.id}-4`, ip_address }], status: 'ACTIVE', is_external },
})

/** A router connected to networks, each with the router's address in it. */
export const routerRow = (
  owner: Owner,
  id: string,
  legs: readonly (readonly [Network, string])[],
  gateway: readonly [Network, string] | null,
  more: Partial<Router> = {},
): Router => ({
  ...{ id, name: id, status: 'ACTIVE', routes: [] },
  external_gateway_info: gateway && {
    ...{ network_id: gateway[0].id, network_name: gateway[0].name, enable_snat: true },
    external_fixed_ips: [{ subnet_id: `${gateway[0].id}-4`, ip_address: gateway[1] }],
  },
  interfaces_info: legs.map(([network, address]) => legRow(network, address, false)),
  external_interface: gateway && legRow(...gateway, true),
  ...owner,
  ...times,
  ...more,
})

export const floatingIpRow = (
  owner: Owner,
  id: string,
  network: Network,
  address: string,
  to: { port: Port; router: Router } | null = null,
): FloatingIp => ({
  ...{ id, description: '', floating_ip_address: address, floating_network_id: network.id },
  ...{ floating_network_name: network.name, status: to ? 'ACTIVE' : 'DOWN' },
  ...{ fixed_ip_address: to?.port.fixed_ips[0]?.ip_address ?? null, port_id: to?.port.id ?? null },
  router_id: to?.router.id ?? null,
  attachment: to && {
    ...{ object_id: to.port.device_id, object_name: to.port.device_name, device_owner: to.port.device_owner },
  },
  attached_to: to?.port.device_name ?? null,
  ...owner,
  ...times,
})

/** A security group; the IDs of its rules are `GROUP-0`, `GROUP-1` and so on. */
export const groupRow = (owner: Owner, id: string, rules: readonly Partial<SecurityGroupRule>[]): SecurityGroup => ({
  ...{ id, name: id, description: '', port_count: 0, ...owner, ...times },
  security_group_rules: rules.map((rule, at) => ({
    ...{ id: `${id}-${at}`, security_group_id: id, direction: 'ingress', ethertype: 'IPv4', protocol: null },
    ...{ port_range_min: null, port_range_max: null, remote_ip_prefix: null, remote_group_id: null },
    ...{ description: '', ...owner, created_at },
    ...rule,
  })),
})
