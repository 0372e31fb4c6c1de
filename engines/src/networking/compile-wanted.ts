import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { isOfLoadBalancer } from '@mainstay/contract/networking/device-owners'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { Router, RouterInterface } from '@mainstay/contract/networking/routers'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type {
  WantedFloatingIp,
  WantedGroup,
  WantedNetwork,
  WantedNetworks,
  WantedPort,
  WantedRouter,
  WantedSubnet,
} from '../network-model/wanted'

/** Network rows from any engine. */
export interface NetworkRows {
  networks: readonly Network[]
  ports: readonly Port[]
  routers: readonly Router[]
  groups: readonly SecurityGroup[]
  floating: readonly FloatingIp[]
}

/** DNS domain for all networks. */
export const DNS_DOMAIN = 'cloud.internal'

/** Whether a port belongs to a network service, according to its device owner. */
const isService = ({ device_owner }: Port): boolean =>
  device_owner === deviceOwners.service || device_owner === 'network:distributed'
const isRouters = ({ device_owner }: Port): boolean => device_owner.startsWith('network:router')
const isOfFloating = ({ device_owner }: Port): boolean => device_owner === deviceOwners.floatingIp

/**
 * Compiles network rows to the wanted state. Pure function, used both to set up networks on this host and to explain
 * reachability. `snatSix`: whether routers that translate IPv4 also translate IPv6, as they do on this host.
 */
export function compileWanted(rows: NetworkRows, { snatSix }: { snatSix: boolean }): WantedNetworks {
  const services = new Map<string, string>()
  for (const port of rows.ports.filter(isService))
    for (const { subnet_id, ip_address } of port.fixed_ips) services.set(subnet_id, ip_address)
  const prefixes = new Map(
    rows.networks.flatMap(({ subnets }) => subnets.map(({ id, cidr }) => [id, cidr.split('/')[1] ?? '32'] as const)),
  )
  const networks = new Map(rows.networks.map((network) => [network.id, network]))
  return {
    networks: rows.networks.map((network) => wantedNetwork(network, services)),
    ports: rows.ports
      .filter((port) => networks.has(port.network_id) && !isService(port) && !isOfFloating(port))
      .map((port) => wantedPort(port, networks.get(port.network_id)!)),
    routers: rows.routers.map((router) => wantedRouter(router, prefixes, snatSix)),
    groups: rows.groups.map(wantedGroup),
    floating: rows.floating.flatMap(wantedFloating),
    balancers: [],
    vpns: [],
  }
}

function wantedNetwork(network: Network, services: ReadonlyMap<string, string>): WantedNetwork {
  const { id, mtu, status, router_external, vlan_id, type, physical_network, subnets } = network
  return {
    id,
    mtu,
    // a network in the error state is retried
    up: status !== 'DOWN',
    external: router_external ? { vlan: vlan_id } : null,
    nat: type === 'flat' && !router_external && !physical_network,
    spoofingProtection: network.spoofing_protection,
    subnets: subnets.map((subnet): WantedSubnet => {
      const serviceAddress = services.get(subnet.id) ?? null
      return {
        id: subnet.id,
        cidr: subnet.cidr,
        version: subnet.ip_version,
        gateway: subnet.gateway_ip,
        dhcp: subnet.enable_dhcp,
        mode: subnet.ip_version === 4 ? null : modeOf(subnet.ipv6_address_mode),
        pools: subnet.allocation_pools.map(({ start, end }) => ({ start, end })),
        nameServers: subnet.dns_nameservers.filter((address) => address !== serviceAddress),
        serviceAddress,
      }
    }),
    dnsDomain: DNS_DOMAIN,
  }
}

/** If the mode is not set, guests configure their addresses manually. */
const modeOf = (mode: string | null): NonNullable<WantedSubnet['mode']> =>
  mode === 'slaac' || mode === 'dhcpv6-stateful' || mode === 'dhcpv6-stateless' ? mode : 'none'

/** If address management is off, guests may use any address. */
const anyAddress = [
  { cidr: '0.0.0.0/0', mac: null },
  { cidr: '::/0', mac: null },
]

function ownerOf(port: Port): WantedPort['owner'] {
  if (isRouters(port)) return 'router'
  if (isOfLoadBalancer(port.device_owner)) return 'balancer'
  return port.device_owner.startsWith('compute:') ? 'instance' : 'service'
}

function wantedPort(port: Port, network: Network): WantedPort {
  return {
    id: port.id,
    networkId: port.network_id,
    mac: port.mac_address,
    addresses: port.fixed_ips.map(({ ip_address }) => ip_address),
    hostname: port.dns_name || null,
    owner: ownerOf(port),
    up: port.admin_state_up,
    spoofingProtection: port.spoofing_protection,
    securityGroups: port.security_groups,
    rate: null,
    ...(network.subnets.length === 0 && port.fixed_ips.length === 0 && { alsoFrom: anyAddress }),
  }
}

function wantedRouter(router: Router, prefixes: ReadonlyMap<string, string>, snatSix: boolean): WantedRouter {
  const leg = ({ port_id, network_id, mac_address, fixed_ips }: RouterInterface) => ({
    portId: port_id,
    networkId: network_id,
    mac: mac_address ?? '',
    addresses: fixed_ips.map(({ subnet_id, ip_address }) => `${ip_address}/${prefixes.get(subnet_id) ?? '32'}`),
  })
  const { external_interface: outside, external_gateway_info: gateway } = router
  return {
    id: router.id,
    up: router.status !== 'DOWN' && router.status !== 'PENDING_DELETE',
    interfaces: router.interfaces_info.map(leg),
    gateway:
      outside && gateway
        ? { ...leg(outside), snat: gateway.enable_snat, snatSix: snatSix && gateway.enable_snat }
        : null,
    routes: router.routes.map(({ destination, nexthop }) => ({ destination, nexthop })),
  }
}

const wantedGroup = ({ id, security_group_rules }: SecurityGroup): WantedGroup => ({
  id,
  stateful: true,
  rules: security_group_rules.map((rule) => ({
    id: rule.id,
    direction: rule.direction,
    version: rule.ethertype === 'IPv4' ? 4 : 6,
    // `icmp` in an IPv6 rule means ICMPv6
    protocol: rule.protocol === 'icmp' && rule.ethertype === 'IPv6' ? 'icmpv6' : rule.protocol,
    portMin: rule.port_range_min,
    portMax: rule.port_range_max,
    remote:
      rule.remote_group_id !== null
        ? { groupId: rule.remote_group_id }
        : rule.remote_ip_prefix === null
          ? null
          : { cidr: rule.remote_ip_prefix },
  })),
})

const wantedFloating = (floating: FloatingIp): WantedFloatingIp[] => {
  const { id, floating_ip_address: address, router_id, port_id, fixed_ip_address } = floating
  if (router_id === null || port_id === null || fixed_ip_address === null) return []
  const published = (floating.published_ports ?? []).map(({ port, protocol, host_address, host_port }) => ({
    ...{ port, protocol, hostAddress: host_address, hostPort: host_port },
  }))
  return [{ id, address, routerId: router_id, portId: port_id, fixedAddress: fixed_ip_address, published }]
}
