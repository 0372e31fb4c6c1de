import type { BalancerReport, WantedBalancer } from './wanted-balancers'
import type { TunnelReport, WantedVpn } from './wanted-vpns'

/*
 * What the networks of this host shall be, and what carries it out. The side of the records compiles its rows to
 * `WantedNetworks` and gives the whole of it to `Dataplane.apply` after each change; nothing here knows rows. Ids are
 * UUIDs, addresses are plain text (`10.0.0.5`, `fd00::5`), CIDRs have their prefix length.
 */

export interface WantedNetworks {
  networks: WantedNetwork[]
  ports: WantedPort[]
  routers: WantedRouter[]
  groups: WantedGroup[]
  floating: WantedFloatingIp[]
  balancers: WantedBalancer[]
  vpns: WantedVpn[]
}

export interface WantedNetwork {
  id: string
  /** Bytes; 1280 at least where a subnet is of IPv6. */
  mtu: number
  /** False: the switch is down, nothing passes. */
  up: boolean
  /** Null: a tenant's. An external network has its gateway address at the edge, which masquerades to the uplink. */
  external: { vlan: number | null } | null
  /**
   * The default network: guests reach the outside through the edge, without a router. Nothing outside opens connections
   * to them. Only security groups keep its guests from one another.
   */
  nat: boolean
  /** What ports without a choice of their own get; each `WantedPort` says it for itself. */
  spoofingProtection: boolean
  subnets: WantedSubnet[]
  /** Domain of the names of its ports, e.g. `cloud.internal`. */
  dnsDomain: string
}

export interface WantedSubnet {
  id: string
  cidr: string
  version: 4 | 6
  /** First hop that DHCP and RA tell guests of; null: none. */
  gateway: string | null
  dhcp: boolean
  /** How guests get addresses and options, IPv6 only. Router advertisements come from a router of the network. */
  mode: 'none' | 'slaac' | 'dhcpv6-stateful' | 'dhcpv6-stateless' | null
  pools: { start: string; end: string }[]
  /** Handed out as they are; where empty, guests are given `serviceAddress`. */
  nameServers: string[]
  /** Where DHCP, DNS and metadata listen in this subnet: reserved, never a port's. Null: none of them. */
  serviceAddress: string | null
  /** Routes beyond the gateway that guests are told by DHCP (option 121); not given: none. */
  hostRoutes?: WantedRoute[]
}

export interface WantedRoute {
  destination: string
  nexthop: string
}

export interface WantedPort {
  id: string
  networkId: string
  mac: string
  addresses: string[]
  /** Its name in the network's DNS; null: none. */
  hostname: string | null
  /**
   * `router`: the other end is that of a `WantedRouter`'s interface; `balancer`: that of a `WantedBalancer`. `service`: reserved,
   * nothing is plugged in yet.
   */
  owner: 'instance' | 'router' | 'balancer' | 'service'
  up: boolean
  /** False: it may send as whoever it likes. */
  spoofingProtection: boolean
  /** Ids of groups. Empty: open with protection off, closed with protection on. */
  securityGroups: string[]
  /** Bits a second; null: no limit. */
  rate: { fromGuestBits: number | null; toGuestBits: number | null } | null
  /** Addresses or networks that it may use beside its own (allowed address pairs); not given: none. */
  alsoFrom?: { cidr: string; mac: string | null }[]
}

export interface WantedRouter {
  id: string
  up: boolean
  /** Addresses with their prefix lengths (`10.0.0.1/24`). */
  interfaces: { portId: string; networkId: string; mac: string; addresses: string[] }[]
  gateway: WantedGateway | null
  routes: WantedRoute[]
}

/** Where a router leads to the outside. */
export interface WantedGateway {
  portId: string
  networkId: string
  mac: string
  addresses: string[]
  /** Connections of IPv4 leave by the router's own address, and none comes in but by a floating address. */
  snat: boolean
  /** The same of IPv6, where the gateway has an address of it; clouds route it as it is. */
  snatSix: boolean
}

export interface WantedGroup {
  id: string
  stateful: true
  rules: WantedRule[]
}

export interface WantedRule {
  id: string
  direction: 'ingress' | 'egress'
  version: 4 | 6
  /** Null: any; `tcp`, `udp`, `icmp`, `icmpv6`, or a number as text. */
  protocol: string | null
  /** Ports from and to; of ICMP type and code. */
  portMin: number | null
  portMax: number | null
  /** Null: everybody. */
  remote: { cidr: string } | { groupId: string } | null
}

export interface WantedFloatingIp {
  id: string
  address: string
  routerId: string
  portId: string
  fixedAddress: string
  /** Ports of it that are reached at an address of this host's loopback (127.x.y.z; ports from 1024). */
  published: PublishedPort[]
}

export interface PublishedPort {
  port: number
  hostAddress: string
  hostPort: number
  protocol: 'tcp' | 'udp'
}

/** What this host can do. `missing` is empty where all of it works. */
export interface DataplaneFacts {
  /** False: `apply` and `plug` throw `NetworkingUnavailable`; machines have user-mode NAT, or no network at all. */
  available: boolean
  /** Whether the namespaces are those of an ordinary user. */
  rootless: boolean
  missing: { what: string; because: string; command: string | null }[]
  /** What VPN needs beside networks; null: it has it. `esp`: who protects packets here. */
  vpn: { missing: { what: string; because: string; command: string | null } | null; esp: 'kernel' | 'userland' }
  /** Versions of the programs, by name. */
  programs: Record<string, string>
}

/** What could not be carried out, for people, by the id of the object; what is not named stands as wanted. */
export interface Applied {
  networks: Map<string, string>
  routers: Map<string, string>
  ports: Map<string, string>
  floating: Map<string, string>
  balancers: Map<string, string>
  /** By the ids of connections. */
  vpns: Map<string, string>
  /** True where nothing had to be changed. */
  unchanged: boolean
}

/** How QEMU opens the card's other end: by name, in the namespace of the switches. */
export interface TapPlug {
  device: string
  mtu: number
}

/** Counted since the port was made; `dropped`: what rules, limits and full queues kept back. */
export interface PortCounters {
  fromGuest: { bytes: number; packets: number; dropped: number }
  toGuest: { bytes: number; packets: number; dropped: number }
}

export interface ProcessHealth {
  running: boolean
  /** ISO time; null while it does not run. */
  since: string | null
  restarts: number
  /** Its last words, of the last time that it fell. */
  lastFault: string | null
}

export interface DataplaneHealth {
  capsule: ProcessHealth
  uplink: ProcessHealth
  /** By the ids of networks and routers that have one. */
  dnsmasq: Map<string, ProcessHealth>
  /** Null: no network needs it. */
  metadata: ProcessHealth | null
  /** By the ids of balancers that are enabled. */
  balancers: Map<string, ProcessHealth>
  /** By the ids of routers that have connections. */
  vpns: Map<string, ProcessHealth>
  /** When `apply` last came to its end, and what it could not do; ISO time. */
  applied: { at: string; tookMs: number; fault: string | null } | null
}

export interface ReachQuestion {
  /** A port, or whoever is outside (`'outside'`: beyond the edge, as a browser at a published port). */
  from: { portId: string } | 'outside'
  /** Address, or name of a port whose first address of the version is meant. */
  to: { address: string } | { portId: string }
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6'
  /** Port; null for ICMP, which is an echo request. */
  port: number | null
}

/** What a probe found out. `answered` may be null where nobody waits for an answer at the port of the question. */
export interface ReachAnswer {
  delivered: boolean
  answered: boolean | null
  tookMs: number
  /** What is computed of the same question: where the two differ, something is wrong with the host. */
  expected: boolean
  /** Where and why it was not tried, for people; null: it was. */
  fault: string | null
}

/** A request to 169.254.169.254 by a guest; network and address cannot be forged. */
export interface MetadataRequest {
  networkId: string
  /** Of the port that asks. */
  address: string
  /** That port; null where no wanted port of the network has the address. */
  portId: string | null
  method: string
  /** With its query, e.g. `/latest/meta-data/hostname`. */
  path: string
  headers: Record<string, string>
  /** Of PUT and POST, at most 64 KiB. */
  body: string
}

export interface MetadataResponse {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export type AnswerMetadata = (request: MetadataRequest) => Promise<MetadataResponse>

/** This host gives no networks; the message says why, and what to do about it. */
export class NetworkingUnavailable extends Error {
  readonly code = 'networking_unavailable'
}

export interface Dataplane {
  /** What this host can do, as found out last. */
  probe(): Promise<DataplaneFacts>
  /** Makes it so. Idempotent; of calls that come meanwhile the latest wins, and all of them get its answer. */
  apply(wanted: WantedNetworks): Promise<Applied>
  /** Makes the tap of a wanted port, before QEMU starts. Its rules stand before it is up. Twice is no error. */
  plug(portId: string): Promise<TapPlug>
  /** Takes it away. Twice is no error. */
  unplug(portId: string): Promise<void>
  /** By the ids of ports that are plugged in. */
  counters(): Promise<Map<string, PortCounters>>
  health(): Promise<DataplaneHealth>
  /** What balancers say of themselves, by their ids; those that do not answer are left out. */
  balancers(): Promise<Map<string, BalancerReport>>
  /** What tunnels say of themselves, by the ids of their connections, as of the last second. */
  tunnels(): Promise<Map<string, TunnelReport>>
  /** Ends the tunnel of a connection and makes it again. */
  restartTunnel(connectionId: string): Promise<void>
  /** Sends real packets from a port's place. */
  check(question: ReachQuestion): Promise<ReachAnswer>
  /** Who answers guests that ask 169.254.169.254; until it is said they get 503 and ask again. */
  answerMetadata(answer: AnswerMetadata): void
  /** Calls back when the host gives networks that it did not give before. Answers how to stop. */
  onAvailable(listener: () => void): () => void
  /** Stops watching. Everything goes on, and is adopted at the next start; it ends where nothing is in it. */
  close(): Promise<void>
}
