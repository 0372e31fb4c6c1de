import type { PublishedPort } from '../wanted'

/*
 * What the wanted state is in the kernel and in files. Everything is data or text that can be compared: what differs from
 * what is there is what has to be done.
 */

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
  bridge: string
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
}

/** Rules of all switches. Sets and chains by their names; elements as nft writes them. */
export interface SwitchRules {
  /** In the table of the bridge family. */
  bridge: Map<string, Set<string>>
  /** Limits by name, in the same: bits a second. */
  limits: Map<string, number>
  /** In the table of the inet family. */
  inet: Map<string, Set<string>>
  /** Sets of the addresses of a group's members, in the same, made as they are needed. */
  members: Map<string, { version: 4 | 6; addresses: Set<string> }>
  chains: Map<string, string[]>
}

/** A dnsmasq: the network's or the router's. */
export interface DaemonPlan {
  ownerId: string
  space: string
  /** Its configuration; another one needs another process. */
  config: string
  /** Read again while it runs: leases by MAC, and names. */
  hosts: string
  names: string
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
}

export interface Compiled {
  bridges: BridgePlan[]
  taps: TapPlan[]
  cables: CablePlan[]
  spaces: SpacePlan[]
  rules: SwitchRules
  daemons: DaemonPlan[]
  doors: MetadataDoor[]
  forwards: ForwardPlan[]
  zones: ZonePlan[]
  faults: Faults
}
