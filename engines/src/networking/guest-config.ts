import { addressText, parseRange } from '@mainstay/contract/networking/addresses'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { Subnet } from '@mainstay/contract/networking/subnets'

/*
 * Network configuration for guests. Both formats, `network-config` in a seed and `network_data.json` from the metadata
 * service, are derived from the subnets in which an interface has addresses.
 */

/** A network interface of a guest. */
export interface GuestLink {
  port: Port
  network: Network
}

/** How a guest gets its addresses in a subnet. `static` addresses are written into its configuration. */
type Source = 'dhcp' | 'static' | 'slaac' | 'dhcpv6-stateful' | 'dhcpv6-stateless'

interface GuestSubnet {
  subnet: Subnet
  addresses: string[]
  source: Source
}

function sourceOf({ ip_version, enable_dhcp, ipv6_address_mode: mode }: Subnet): Source {
  if (ip_version === 4) return enable_dhcp ? 'dhcp' : 'static'
  return mode === 'slaac' || mode === 'dhcpv6-stateful' || mode === 'dhcpv6-stateless' ? mode : 'static'
}

/**
 * Returns the subnets that an interface is configured for. Subnets that routers advertise (SLAAC and stateless DHCPv6)
 * are included even if the interface has no recorded address in them.
 */
const subnetsOf = ({ port, network }: GuestLink): GuestSubnet[] =>
  network.subnets.flatMap((subnet) => {
    const addresses = port.fixed_ips.flatMap(({ subnet_id, ip_address }) =>
      subnet_id === subnet.id ? [ip_address] : [],
    )
    const source = sourceOf(subnet)
    const isAnnounced = source === 'slaac' || source === 'dhcpv6-stateless'
    return addresses.length > 0 || isAnnounced ? [{ subnet, addresses, source }] : []
  })

const prefixOf = ({ cidr }: Subnet): number => parseRange(cidr)!.prefix
const everything = { 4: '0.0.0.0/0', 6: '::/0' } as const

type Yaml = string | number | boolean | readonly Yaml[] | { readonly [key: string]: Yaml }
type Ethernet = Record<string, Yaml>

/** Returns the cloud-init `network-config`, version 2. */
export function networkConfig(links: readonly GuestLink[]): string {
  const routed = new Set<number>()
  const ethernets = links.map((link, at) => [`nic${at}`, ethernetOf(link, at, routed)] as const)
  return `${block({ version: 2, ethernets: Object.fromEntries(ethernets) }, '').join('\n')}\n`
}

/**
 * Configures an interface. `routed` holds the IP versions for which an earlier interface has the default route, because
 * a guest gets only one per IP version.
 */
function ethernetOf(link: GuestLink, at: number, routed: Set<number>): Ethernet {
  const subnets = subnetsOf(link)
  const fixed = subnets.filter(({ source }) => source === 'static')
  const routes = fixed.flatMap(({ subnet: { ip_version, gateway_ip } }) =>
    gateway_ip === null || routed.has(ip_version) ? [] : [{ to: everything[ip_version], via: gateway_ip }],
  )
  for (const { subnet } of subnets) if (subnet.gateway_ip !== null) routed.add(subnet.ip_version)
  const addresses = fixed.flatMap((it) => it.addresses.map((address) => `${address}/${prefixOf(it.subnet)}`))
  const servers = [...new Set(fixed.flatMap(({ subnet }) => subnet.dns_nameservers))]
  const isUnmanaged = link.network.subnets.length === 0
  const six = subnets.find(({ subnet }) => subnet.ip_version === 6)
  return {
    match: { macaddress: link.port.mac_address },
    mtu: link.network.mtu,
    // without subnets the addresses are not known: another guest may be the DHCP server
    dhcp4: isUnmanaged || subnets.some(({ source }) => source === 'dhcp'),
    ...(six && {
      dhcp6: six.source === 'dhcpv6-stateful' || six.source === 'dhcpv6-stateless',
      'accept-ra': six.source !== 'static',
    }),
    ...(addresses.length > 0 && { addresses }),
    ...(routes.length > 0 && { routes }),
    ...(servers.length > 0 && { nameservers: { addresses: servers } }),
    // the boot waits only for the first interface
    ...((at > 0 || isUnmanaged) && { optional: true }),
  }
}

/** Formats a value as YAML in block style, which even minimal parsers can read. */
function block(value: Yaml, indent: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((item: Yaml) => {
      const [first = '', ...more] = block(item, `${indent}  `)
      return [`${indent}- ${first.trimStart()}`, ...more]
    })
  // JSON strings are valid YAML strings
  if (typeof value !== 'object') return [`${indent}${JSON.stringify(value)}`]
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'object'
      ? [`${indent}${key}:`, ...block(item, `${indent}  `)]
      : [`${indent}${key}: ${JSON.stringify(item)}`],
  )
}

/** Returns the content of cloud-init's `network_data.json`, in the format of metadata services. */
export function networkData(links: readonly GuestLink[]) {
  const subnets = links.flatMap((link, at) =>
    subnetsOf(link).flatMap((it, place) => networksOf(it, link, { link: `link${at}`, id: `network${at}-${place}` })),
  )
  const servers = links.flatMap((link) => subnetsOf(link).flatMap(({ subnet }) => subnet.dns_nameservers))
  return {
    links: links.map(({ port, network }, at) => ({
      id: `link${at}`,
      vif_id: port.id,
      type: 'phy',
      mtu: network.mtu,
      ethernet_mac_address: port.mac_address,
    })),
    networks: subnets,
    services: [...new Set(servers)].map(dnsService),
  }
}

const dnsService = (address: string) => ({ type: 'dns', address })

/** Returns the entries for a subnet: one per static address, otherwise a single one. */
function networksOf(
  { subnet, addresses, source }: GuestSubnet,
  { network }: GuestLink,
  { link, id }: { link: string; id: string },
) {
  const { ip_version, gateway_ip, dns_nameservers } = subnet
  const base = { id, link, network_id: network.id }
  if (source === 'dhcp') return [{ ...base, type: 'ipv4_dhcp' }]
  const any = ip_version === 4 ? '0.0.0.0' : '::'
  const routes = gateway_ip === null ? [] : [{ network: any, netmask: any, gateway: gateway_ip }]
  const services = dns_nameservers.map(dnsService)
  const type = source === 'static' ? `ipv${ip_version}` : `ipv6_${source}`
  const told = addresses.map((ip_address) => ({ ip_address, netmask: netmaskOf(subnet) }))
  if (source !== 'static') return [{ ...base, type, ...told[0], routes, services }]
  return told.map((address, nth) => ({
    ...base,
    type,
    ...(nth > 0 && { id: `${id}-${nth}` }),
    ...address,
    routes,
    services,
  }))
}

function netmaskOf({ cidr }: Subnet): string {
  const { version, first, last } = parseRange(cidr)!
  return addressText({ version, value: (version === 4 ? 2n ** 32n : 2n ** 128n) - (last - first + 1n) })
}
