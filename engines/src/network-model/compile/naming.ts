import { bare, canonical, cidrText, isInside, readCidr, toText, versionOf } from '../addresses'
import { insideNetwork, networkSpaceOf, routerEndOf, routerSpaceOf, servicePlaceOf, towardsEdge } from '../names'
import { uplink } from '../uplink'
import type { WantedNetwork, WantedPort, WantedRouter, WantedSubnet } from '../wanted'
import { dnsLegAddresses } from './edge'
import { mainTable } from './routers'
import type { DaemonPlan, SpacePlan } from './plan'

/*
 * Network services for guests: DHCP, DNS and metadata in a namespace per network, and IPv6 router advertisements on
 * routers. dnsmasq provides all of them except metadata.
 */

const leaseTime = '24h'
const metadataAddress = '169.254.169.254'

/** Returns the subnets with a service address. */
export const servedSubnets = ({ subnets }: WantedNetwork) =>
  subnets.filter(({ serviceAddress }) => serviceAddress !== null)

export function networkSpacePlan(network: WantedNetwork, zone: number): SpacePlan {
  const addresses = new Set([`${metadataAddress}/32 dev ${insideNetwork}`])
  for (const { serviceAddress, cidr } of servedSubnets(network))
    addresses.add(`${bare(serviceAddress!)}/${readCidr(cidr).prefix} dev ${insideNetwork}`)
  const leg = dnsLegAddresses(zone)
  addresses.add(`${leg.network}/31 dev ${towardsEdge}`)
  const own = servedSubnets(network).map(({ serviceAddress }) => bare(serviceAddress!))
  const ofVersion = (version: 4 | 6) => own.filter((address) => versionOf(address) === version)
  return {
    name: networkSpaceOf(network.id),
    addresses,
    routes: new Set([
      `${uplink.nameServer} via ${leg.edge} dev ${towardsEdge} table ${mainTable}`,
      // requests from guests behind a router come from other subnets
      ...firstRouters(network).map((hop) => `default via ${hop} dev ${insideNetwork} table ${mainTable}`),
    ]),
    settings: new Map([
      ['ipv4/ip_forward', '0'],
      ['ipv4/conf/all/arp_ignore', '1'],
      ['ipv6/conf/all/forwarding', '0'],
      ['ipv6/conf/all/accept_ra', '0'],
      ['ipv6/conf/default/accept_ra', '0'],
    ]),
    rules: ` chain input { type filter hook input priority filter; policy drop;
  iifname "lo" accept
  ct state established,related accept
  meta l4proto ipv6-icmp accept
  iifname "${towardsEdge}" drop
  udp sport 68 udp dport 67 accept
  ip daddr != { ${[...ofVersion(4), metadataAddress].join(', ')} } drop
${ofVersion(6).length > 0 ? `  ip6 daddr != { ${ofVersion(6).join(', ')} } drop` : '  meta nfproto ipv6 drop'}
  icmp type echo-request accept
  meta l4proto { tcp, udp } th dport 53 accept
  ip daddr ${metadataAddress} tcp dport 80 accept
 }`,
  }
}

const firstRouters = ({ subnets }: WantedNetwork) =>
  subnets
    .filter(({ version, gateway, serviceAddress }) => version === 4 && gateway !== null && serviceAddress !== null)
    .slice(0, 1)
    .map(({ gateway }) => bare(gateway!))

const isName = (text: string) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(text)
const isDomain = (text: string) => text.length < 200 && text.split('.').every(isName)

/** Returns the host name in lower case, or null unless it is a valid DNS label. */
const nameOf = ({ hostname }: WantedPort) => (hostname !== null && isName(hostname) ? hostname.toLowerCase() : null)

/**
 * Capabilities required to bind to ports below 1024, and to add the neighbor entry of a guest that has no address yet.
 */
const listening = ['net_bind_service', 'net_admin']

const common = ['no-hosts', 'no-resolv', 'bind-dynamic', 'leasefile-ro', 'dhcp-authoritative', 'no-ping']

export function networkDaemon(network: WantedNetwork, ports: WantedPort[]): DaemonPlan {
  const domain = isDomain(network.dnsDomain) ? network.dnsDomain.toLowerCase() : null
  const subnets = servedSubnets(network).filter(({ version }) => version === 4)
  const config = [
    ...common,
    `interface=${insideNetwork}`,
    `except-interface=lo`,
    `server=${uplink.nameServer}`,
    'cache-size=1000',
    'dns-forward-max=100',
    'domain-needed',
    'bogus-priv',
    ...(domain ? [`domain=${domain}`, `local=/${domain}/`, 'expand-hosts'] : []),
    `dhcp-hostsfile=${servicePlaceOf(networkSpaceOf(network.id))}/hosts`,
    `addn-hosts=${servicePlaceOf(networkSpaceOf(network.id))}/names`,
    'dhcp-lease-max=100000',
    ...subnets.flatMap((subnet, at) => (subnet.dhcp ? leases(network, subnet, `s${at}`) : [])),
  ]
  return {
    ownerId: network.id,
    space: networkSpaceOf(network.id),
    capabilities: listening,
    config: lines(config),
    hosts: lines(
      ports.flatMap((port) =>
        leasesOf(
          port,
          subnets.filter(({ dhcp }) => dhcp),
        ),
      ),
    ),
    names: lines(ports.flatMap((port) => namesOf(port, domain))),
  }
}

function leases(network: WantedNetwork, subnet: WantedSubnet, tag: string): string[] {
  const cidr = readCidr(subnet.cidr)
  const service = bare(subnet.serviceAddress!)
  const mask = toText((1n << 32n) - (1n << BigInt(32 - cidr.prefix)), 4)
  const gateway = subnet.gateway === null ? null : bare(subnet.gateway)
  const routes = [
    ...[metadataAddress, service],
    ...(subnet.hostRoutes ?? []).flatMap(({ destination, nexthop }) => [
      cidrText(readCidr(destination)),
      bare(nexthop),
    ]),
    ...(gateway ? ['0.0.0.0/0', gateway] : []),
  ]
  routes[0] = `${metadataAddress}/32`
  const servers = subnet.nameServers.map(bare).filter((address) => versionOf(address) === 4)
  return [
    `dhcp-range=set:${tag},${toText(cidr.first, 4)},static,${mask},${leaseTime}`,
    // an option without a value is not sent
    `dhcp-option=tag:${tag},option:router${gateway ? `,${gateway}` : ''}`,
    `dhcp-option=tag:${tag},option:dns-server,${(servers.length > 0 ? servers : [service]).join(',')}`,
    `dhcp-option=tag:${tag},option:mtu,${network.mtu}`,
    `dhcp-option=tag:${tag},option:classless-static-route,${routes.join(',')}`,
  ]
}

/** Returns the DHCP lease of a port, with its first address in these subnets. */
function leasesOf(port: WantedPort, subnets: WantedSubnet[]): string[] {
  if (port.owner !== 'instance') return []
  const address = port.addresses.map(canonical).find((it) => subnets.some(({ cidr }) => isInside(it, readCidr(cidr))))
  if (address === undefined) return []
  const name = nameOf(port)
  const asked = versionOf(address) === 6 ? `[${address}]` : address
  return [[port.mac, asked, ...(name ? [name] : []), leaseTime].join(',')]
}

function namesOf(port: WantedPort, domain: string | null): string[] {
  const name = nameOf(port)
  if (name === null) return []
  return port.addresses.map((address) => `${canonical(address)} ${domain ? `${name}.${domain} ` : ''}${name}`)
}

/** Returns the dnsmasq for router advertisements and DHCPv6 on a router's IPv6 networks, or null if it has none. */
export function routerDaemon(
  router: WantedRouter,
  networks: Map<string, WantedNetwork>,
  portsOf: (networkId: string) => WantedPort[],
): DaemonPlan | null {
  const config: string[] = []
  const hosts: string[] = []
  for (const { portId, networkId, addresses } of router.interfaces) {
    const network = networks.get(networkId)
    const told = (network?.subnets ?? []).filter(
      ({ version, mode, cidr }) =>
        version === 6 && mode !== null && mode !== 'none' && addresses.some((it) => isInside(bare(it), readCidr(cidr))),
    )
    if (!network || told.length === 0) continue
    const device = routerEndOf(portId)
    config.push(`interface=${device}`, `ra-param=${device},mtu:${network.mtu},60,1800`)
    for (const [at, subnet] of told.entries()) {
      const tag = `${device}s${at}`
      const cidr = readCidr(subnet.cidr)
      const first = toText(cidr.first, 6)
      const kind = { slaac: 'ra-only', 'dhcpv6-stateless': 'ra-stateless', 'dhcpv6-stateful': 'static', none: '' }
      config.push(`dhcp-range=set:${tag},${first},${kind[subnet.mode!]},${cidr.prefix},${leaseTime}`)
      const given = subnet.nameServers.map(bare).filter((address) => versionOf(address) === 6)
      const servers = given.length > 0 ? given : subnet.serviceAddress === null ? [] : [bare(subnet.serviceAddress)]
      if (servers.length > 0)
        config.push(`dhcp-option=tag:${tag},option6:dns-server,${servers.map((it) => `[${it}]`).join(',')}`)
      if (isDomain(network.dnsDomain)) config.push(`dhcp-option=tag:${tag},option6:domain-search,${network.dnsDomain}`)
    }
    const stateful = told.filter(({ mode }) => mode === 'dhcpv6-stateful')
    hosts.push(...portsOf(networkId).flatMap((port) => leasesOf(port, stateful)))
  }
  if (config.length === 0) return null
  return {
    ownerId: router.id,
    space: routerSpaceOf(router.id),
    // router advertisements require a raw socket
    capabilities: [...listening, 'net_raw'],
    config: lines([
      ...[...common, 'port=0', 'enable-ra', 'quiet-ra'],
      `dhcp-hostsfile=${servicePlaceOf(routerSpaceOf(router.id))}/hosts`,
      ...config,
    ]),
    hosts: lines([...new Set(hosts)]),
    names: '',
  }
}

const lines = (all: string[]) => all.map((line) => `${line}\n`).join('')
