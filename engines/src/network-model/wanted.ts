import type { BalancerReport, WantedBalancer } from './wanted-balancers'
import type { TunnelReport, WantedVpn } from './wanted-vpns'

/*
 * The wanted state of this host's networks, and the interface of the data plane. Rows are compiled to `WantedNetworks`,
 * which is passed as a whole to `Dataplane.apply` after each change; nothing here refers to rows. IDs are UUIDs,
 * addresses are plain text (`10.0.0.5`, `fd00::5`), and CIDRs include the prefix length.
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
  /** In bytes; at least 1280 with an IPv6 subnet. */
  mtu: number
  /** If false, the switch is down and forwards nothing. */
  up: boolean
  /**
   * Null for a tenant network. The gateway address of an external network is at the edge, which masquerades to the
   * uplink.
   */
  external: { vlan: number | null } | null
  /**
   * The default network: its guests reach the outside through the edge, without a router, and cannot be reached from
   * outside. Only security groups isolate the guests from each other.
   */
  nat: boolean
  /** Default for ports; each `WantedPort` has its own value. */
  spoofingProtection: boolean
  subnets: WantedSubnet[]
  /** DNS domain for its ports, e.g. `cloud.internal`. */
  dnsDomain: string
}

export interface WantedSubnet {
  id: string
  cidr: string
  version: 4 | 6
  /** Gateway that DHCP and RA announce to guests; null for none. */
  gateway: string | null
  dhcp: boolean
  /** How guests get IPv6 addresses and options. Router advertisements come from a router on the network. */
  mode: 'none' | 'slaac' | 'dhcpv6-stateful' | 'dhcpv6-stateless' | null
  pools: { start: string; end: string }[]
  /** Name servers for guests; if empty, they get `serviceAddress`. */
  nameServers: string[]
  /** Reserved address for DHCP, DNS and metadata in this subnet; null if there are no services. */
  serviceAddress: string | null
  /** Additional routes that DHCP announces to guests (option 121); none if omitted. */
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
  /** The port's name in the network's DNS; null for none. */
  hostname: string | null
  /**
   * `router` and `balancer`: the other end belongs to a `WantedRouter` or `WantedBalancer`. `service`: reserved, with
   * nothing attached yet.
   */
  owner: 'instance' | 'router' | 'balancer' | 'service'
  up: boolean
  /** If false, the port may send from any address. */
  spoofingProtection: boolean
  /** IDs of security groups. If empty, the port is open without spoofing protection, and closed with it. */
  securityGroups: string[]
  /** In bits per second; null for no limit. */
  rate: { fromGuestBits: number | null; toGuestBits: number | null } | null
  /** Addresses or ranges that the port may use in addition to its own (allowed address pairs). */
  alsoFrom?: { cidr: string; mac: string | null }[]
}

export interface WantedRouter {
  id: string
  up: boolean
  /** Addresses include the prefix length (`10.0.0.1/24`). */
  interfaces: { portId: string; networkId: string; mac: string; addresses: string[] }[]
  gateway: WantedGateway | null
  routes: WantedRoute[]
}

/** The external gateway of a router. */
export interface WantedGateway {
  portId: string
  networkId: string
  mac: string
  addresses: string[]
  /** IPv4 connections leave from the router's own address, and can enter only through floating IPs. */
  snat: boolean
  /**
   * Whether the same applies to IPv6, if the gateway has an IPv6 address. Other clouds route IPv6 without translation.
   */
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
  /** Null for any; `tcp`, `udp`, `icmp`, `icmpv6`, or a number as text. */
  protocol: string | null
  /** Port range; for ICMP, type and code. */
  portMin: number | null
  portMax: number | null
  /** Null for any address. */
  remote: { cidr: string } | { groupId: string } | null
}

export interface WantedFloatingIp {
  id: string
  address: string
  routerId: string
  portId: string
  fixedAddress: string
  /** Ports of the floating IP that are published on this host's loopback (127.x.y.z, port 1024 or higher). */
  published: PublishedPort[]
}

export interface PublishedPort {
  port: number
  hostAddress: string
  hostPort: number
  protocol: 'tcp' | 'udp'
}

/** The capabilities of this host. `missing` is empty if everything works. */
export interface DataplaneFacts {
  /**
   * If false, `apply` and `plug` throw `NetworkingUnavailable`, and virtual machines have user-mode NAT or no network
   * at all.
   */
  available: boolean
  /** Whether the namespaces are unprivileged. */
  rootless: boolean
  missing: { what: string; because: string; command: string | null }[]
  /** VPN support. `missing` is the unmet host requirement, or null; `esp` tells what handles ESP on this host. */
  vpn: { missing: { what: string; because: string; command: string | null } | null; esp: 'kernel' | 'userland' }
  /** Program versions by name. */
  programs: Record<string, string>
}

/** User-facing errors by object ID. All other objects were applied. */
export interface Applied {
  networks: Map<string, string>
  routers: Map<string, string>
  ports: Map<string, string>
  floating: Map<string, string>
  balancers: Map<string, string>
  /** By connection ID. */
  vpns: Map<string, string>
  /** True if nothing had to be changed. */
  unchanged: boolean
}

/** How QEMU opens the tap: by name, in the switch namespace. */
export interface TapPlug {
  device: string
  mtu: number
}

/** Counts since the port was created. `dropped` counts packets refused by rules, limits or full queues. */
export interface PortCounters {
  fromGuest: { bytes: number; packets: number; dropped: number }
  toGuest: { bytes: number; packets: number; dropped: number }
}

export interface ProcessHealth {
  running: boolean
  /** ISO time; null if it is not running. */
  since: string | null
  restarts: number
  /** The last log line of its most recent failure. */
  lastFault: string | null
}

export interface DataplaneHealth {
  capsule: ProcessHealth
  uplink: ProcessHealth
  /** By the ID of the network or router. */
  dnsmasq: Map<string, ProcessHealth>
  /** Null if no network uses it. */
  metadata: ProcessHealth | null
  /** By load balancer ID, for enabled load balancers. */
  balancers: Map<string, ProcessHealth>
  /** By router ID, for routers with VPN connections. */
  vpns: Map<string, ProcessHealth>
  /** When the last `apply` finished (ISO time), and its error. */
  applied: { at: string; tookMs: number; fault: string | null } | null
}

export interface ReachQuestion {
  /** A port, or `'outside'`: a client beyond the edge, such as a browser that uses a published port. */
  from: { portId: string } | 'outside'
  /** An address, or a port. For a port, its first address of the IP version is used. */
  to: { address: string } | { portId: string }
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6'
  /** Null for ICMP, which sends an echo request. */
  port: number | null
}

/** The result of a probe. `answered` is null if nothing may be listening on the port. */
export interface ReachAnswer {
  delivered: boolean
  answered: boolean | null
  tookMs: number
  /** The computed result for the same question. A difference means that something is wrong on the host. */
  expected: boolean
  /** Why the probe was not run, for display; null if it was. */
  fault: string | null
}

/** A guest's request to 169.254.169.254. The network and address cannot be forged. */
export interface MetadataRequest {
  networkId: string
  /** Address of the requesting port. */
  address: string
  /** The requesting port; null if no wanted port of the network has the address. */
  portId: string | null
  method: string
  /** Including the query, e.g. `/latest/meta-data/hostname`. */
  path: string
  headers: Record<string, string>
  /** Body of a PUT or POST request, at most 64 KiB. */
  body: string
}

export interface MetadataResponse {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export type AnswerMetadata = (request: MetadataRequest) => Promise<MetadataResponse>

/** Networking is not available on this host. The message explains why and what to do. */
export class NetworkingUnavailable extends Error {
  readonly code = 'networking_unavailable'
}

export interface Dataplane {
  /** Returns the capabilities of this host as of the last check. */
  probe(): Promise<DataplaneFacts>
  /**
   * Applies the wanted state. Idempotent. With concurrent calls, the latest wins, and all of them return its result.
   */
  apply(wanted: WantedNetworks): Promise<Applied>
  /** Creates the tap of a wanted port before QEMU starts. Its rules take effect before the tap is up. Idempotent. */
  plug(portId: string): Promise<TapPlug>
  /** Removes the tap. Idempotent. */
  unplug(portId: string): Promise<void>
  /** Returns the counters by port ID, for plugged-in ports. */
  counters(): Promise<Map<string, PortCounters>>
  health(): Promise<DataplaneHealth>
  /** Returns the load balancer reports by ID. Load balancers that do not respond are omitted. */
  balancers(): Promise<Map<string, BalancerReport>>
  /** Returns the tunnel reports by connection ID, at most one second old. */
  tunnels(): Promise<Map<string, TunnelReport>>
  /** Terminates the tunnel of a connection and establishes it again. */
  restartTunnel(connectionId: string): Promise<void>
  /** Sends real packets from a port. */
  check(question: ReachQuestion): Promise<ReachAnswer>
  /** Sets the handler for requests to 169.254.169.254. Until then, guests get 503 and retry. */
  answerMetadata(answer: AnswerMetadata): void
  /** Calls `listener` when networking becomes available. Returns a function that removes the listener. */
  onAvailable(listener: () => void): () => void
  /** Stops monitoring. Networks keep running and are adopted at the next start. An empty capsule is stopped. */
  close(): Promise<void>
}
