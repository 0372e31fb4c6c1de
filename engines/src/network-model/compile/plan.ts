import type { PublishedPort, WantedNetworks } from '../wanted'
import type { WantedConnection } from '../wanted-vpns'

/*
 * What the wanted state is in the kernel and in files. Everything is data or text that can be compared: what differs from
 * what is there is what has to be done.
 */

/**
 * Groups that may ping without a right: what asks members runs as a user, and Debian 13 gives `ping` no right by its file. In a namespace
 * of an ordinary user the groups beyond its own cannot be named; there it has the right itself.
 */
export const pingGroups = 'ipv4/ping_group_range'

/** Stands in the files of a service for the user that it becomes where it is root. */
export const userPlace = '%USER%'

/** A switch. */
export interface BridgePlan {
  name: string
  mtu: number
  up: boolean
}

/** A port's device on its switch, where it is plugged in. */
export interface TapPlan {
  name: string
  portId: string
  /** Null: on none, as its port cannot be made. */
  bridge: string | null
  mtu: number
  up: boolean
  /** Bits a second towards the guest; null: no limit. */
  toGuestBits: number | null
}

/** A cable between two namespaces. `outer` is on a switch where `bridge` is not null. */
export interface CablePlan {
  outer: { space: string; name: string; bridge: string | null }
  inner: { space: string; name: string; mac: string }
  mtu: number
}

/** An IP stack: the namespace of a network or router, or the edge. */
export interface SpacePlan {
  name: string
  /** `10.0.0.1/24 dev q0123456789` */
  addresses: Set<string>
  /** As `ip route` lists them, with their table: `default via 10.0.0.1 dev q0123456789 table 254`. */
  routes: Set<string>
  /** Below `/proc/sys/net/`. */
  settings: Map<string, string>
  /** The body of its table of rules; null: none. */
  rules: string | null
  /** Addresses that UDP is passed on to: what was passed on to one that goes ends. */
  passesTo?: Set<string>
  /** Addresses that a service of it adds and takes away. */
  moved?: Set<string>
}

/** Rules of all switches. Sets and chains by their names; elements as nft writes them. */
export interface SwitchRules {
  /** In the table of the bridge family. */
  bridge: Map<string, Set<string>>
  /** Limits by name, in the same: bits a second. */
  limits: Map<string, number>
  /** In the table of the inet family. */
  inet: Map<string, Set<string>>
  /**
   * Sets of the addresses of a group's members, in the same, made as they are needed. Where `senders` is given, the rules fill the
   * set with addresses from which these ports (ids) open connections.
   */
  members: Map<string, { version: 4 | 6; addresses: Set<string>; senders?: Set<string> }>
  chains: Map<string, string[]>
}

/** A dnsmasq: the network's or the router's. */
export interface DaemonPlan {
  ownerId: string
  space: string
  /** Capabilities that it needs (man 7 capabilities), without `cap_`. */
  capabilities: string[]
  /** Its configuration; another one needs another process. */
  config: string
  /** Read again while it runs: leases by MAC, and names. */
  hosts: string
  names: string
}

/** An HAProxy, which has its place in the namespace of what carries the balancer. */
export interface BalancerPlan {
  id: string
  amphoraId: string
  space: string
  /** Null: it carries the balancer alone. */
  pair: PairPlan | null
  /** What it reads, by the names of the files. Certificates and keys are among them. */
  files: Record<string, string>
  /** Programs that it asks members by. */
  programs: Record<string, string>
  /** A digest of all that HAProxy cannot take over while it runs, which it tells as its description. */
  skeleton: string
  backends: BackendPlan[]
  /** Those of `files` that it can take over while it runs. */
  certificates: Record<string, string>
}

/** A keepalived: one of the two of a pair, which give the balancer's address to one of them (VRRP). */
export interface PairPlan {
  /** The other one, by the id of what carries the balancer. */
  other: string
  config: string
  /** Runs it. */
  program: string
}

export interface BackendPlan {
  name: string
  /** What is said of each server behind its place and weight. */
  words: string
  /** Its servers have a health check. */
  isAsked: boolean
  /** HAProxy (2.6) starts no programs for servers that come while it runs. */
  isAskedByProgram: boolean
  sticksByCookie: boolean
  /** By the ids of members. */
  servers: Map<string, ServerPlan>
}

export interface ServerPlan {
  address: string
  port: number
  weight: number
}

/** A strongSwan, which has its place in the namespace of its router. */
export interface VpnPlan {
  routerId: string
  key: string
  space: string
  /** What it reads; connections and keys are told to it. */
  config: string
  connections: WantedConnection[]
}

/** Where guests ask for their metadata: in this namespace, and behind this device only where one is named. */
export interface MetadataDoor {
  networkId: string
  space: string
  device: string | null
}

export interface ForwardPlan extends PublishedPort {
  floatingAddress: string
  /** Port at the edge to which the uplink passes it. */
  edgePort: number
}

/** Which port has a place in a network's zone, and what may pass there. For connections that exist. */
export interface ZonePlan {
  zone: number
  networkId: string
}

export interface Faults {
  networks: Map<string, string>
  routers: Map<string, string>
  ports: Map<string, string>
  floating: Map<string, string>
  balancers: Map<string, string>
  /** By the ids of connections. */
  vpns: Map<string, string>
}

export interface Compiled {
  bridges: BridgePlan[]
  taps: TapPlan[]
  cables: CablePlan[]
  spaces: SpacePlan[]
  rules: SwitchRules
  daemons: DaemonPlan[]
  balancers: BalancerPlan[]
  vpns: VpnPlan[]
  doors: MetadataDoor[]
  forwards: ForwardPlan[]
  zones: ZonePlan[]
  faults: Faults
  /** What of it is made, as it was wanted now or before. */
  stands: Pick<WantedNetworks, 'networks' | 'ports' | 'routers'>
}
