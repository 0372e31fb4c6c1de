import type { PublishedPort, WantedNetworks } from '../wanted'
import type { WantedConnection } from '../wanted-vpns'

/*
 * The desired state of the kernel and of files. It consists of comparable data and text, so that changes can be derived
 * by comparing it with the actual state.
 */

/**
 * Setting for the groups that may ping without capabilities. Required because health checks run as a separate user, and
 * Debian 13 sets no file capabilities on `ping`. In a user namespace, other groups cannot be specified, but the
 * process itself has the capability there.
 */
export const pingGroups = 'ipv4/ping_group_range'

/** Placeholder in service files for the user that the service switches to, if the server runs as root. */
export const userPlace = '%USER%'

export interface BridgePlan {
  name: string
  mtu: number
  up: boolean
}

/** The tap device of a port, and the bridge it is attached to. */
export interface TapPlan {
  name: string
  portId: string
  /** Null if the tap is detached because its port is invalid. */
  bridge: string | null
  mtu: number
  up: boolean
  /** Rate limit for traffic to the guest in bits per second; null for no limit. */
  toGuestBits: number | null
}

/** A veth pair between two namespaces. `outer` is attached to `bridge` unless `bridge` is null. */
export interface CablePlan {
  outer: { space: string; name: string; bridge: string | null }
  inner: { space: string; name: string; mac: string }
  mtu: number
}

/** The network namespace of a network, a router or a load balancer, or of the edge. */
export interface SpacePlan {
  name: string
  /** `10.0.0.1/24 dev q0123456789` */
  addresses: Set<string>
  /** In the format of `ip route`, with the table: `default via 10.0.0.1 dev q0123456789 table 254`. */
  routes: Set<string>
  /** Paths below `/proc/sys/net/`. */
  settings: Map<string, string>
  /** Body of the nft table; null for no rules. */
  rules: string | null
  /** Destinations of forwarded UDP traffic. When an address is removed from this set, connections to it are dropped. */
  passesTo?: Set<string>
  /** Addresses that a service in the namespace adds and removes. */
  moved?: Set<string>
}

/** The rules for all switches: sets and chains by name, with elements in nft notation. */
export interface SwitchRules {
  /** Sets in the bridge table. */
  bridge: Map<string, Set<string>>
  /** Rate limits in the bridge table by name, in bits per second. */
  limits: Map<string, number>
  /** Sets in the inet table. */
  inet: Map<string, Set<string>>
  /**
   * Sets of group member addresses in the inet table, created as needed. If `senders` is present, rules add the
   * addresses from which these ports (IDs) open connections.
   */
  members: Map<string, { version: 4 | 6; addresses: Set<string>; senders?: Set<string> }>
  chains: Map<string, string[]>
}

/** The dnsmasq process of a network or router. */
export interface DaemonPlan {
  ownerId: string
  space: string
  /** Required capabilities (man 7 capabilities), without the prefix `cap_`. */
  capabilities: string[]
  /** Configuration file; a change restarts the process. */
  config: string
  /** DHCP leases by MAC address, and host names. Both are reloaded without a restart. */
  hosts: string
  names: string
}

/** An HAProxy process in the namespace of an amphora. */
export interface BalancerPlan {
  id: string
  amphoraId: string
  space: string
  /** Null if the load balancer has a single amphora. */
  pair: PairPlan | null
  /** Its files by name, including certificates and keys. */
  files: Record<string, string>
  /** Programs for health checks, by name. */
  programs: Record<string, string>
  /** Digest of all settings that require a restart if they change. HAProxy reports it as its description. */
  skeleton: string
  backends: BackendPlan[]
  /** The subset of `files` that HAProxy can reload at runtime. */
  certificates: Record<string, string>
}

/**
 * The keepalived process of one amphora in a pair. The two processes use VRRP to decide which amphora has the load
 * balancer's address.
 */
export interface PairPlan {
  /** Amphora ID of the peer. */
  other: string
  config: string
  /** The script that runs keepalived. */
  program: string
}

export interface BackendPlan {
  name: string
  /** Server options that follow the address and weight. */
  words: string
  /** Whether its servers have a health check. */
  isAsked: boolean
  /** Whether a program performs the check. HAProxy (2.6) does not start programs for servers added at runtime. */
  isAskedByProgram: boolean
  sticksByCookie: boolean
  /** By member ID. */
  servers: Map<string, ServerPlan>
}

export interface ServerPlan {
  address: string
  port: number
  weight: number
}

/** The strongSwan process in a router's namespace. */
export interface VpnPlan {
  routerId: string
  key: string
  space: string
  /** Its configuration file. Connections and keys are loaded through its control socket. */
  config: string
  connections: WantedConnection[]
}

/** An address on which the metadata service listens in this namespace; if `device` is set, only on this device. */
export interface MetadataDoor {
  networkId: string
  space: string
  device: string | null
}

export interface ForwardPlan extends PublishedPort {
  floatingAddress: string
  /** The port on the edge that the uplink forwards to. */
  edgePort: number
}

/** The connection tracking zone of a network. */
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
  /** By connection ID. */
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
  /** The valid objects, in their wanted or last valid state. */
  stands: Pick<WantedNetworks, 'networks' | 'ports' | 'routers'>
}
