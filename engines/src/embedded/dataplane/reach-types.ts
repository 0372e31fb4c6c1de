import type { ReachQuestion } from './wanted'

/*
 * What *who can reach whom* answers: computed from the wanted state that the rules are made of, without a packet.
 */

/** One hop or one decision on the way, in its order. */
export type ReachStep =
  | { kind: 'switch'; networkId: string }
  | { kind: 'route'; routerId: string; destination: string; nexthop: string | null }
  | { kind: 'snat'; routerId: string; address: string }
  | { kind: 'dnat'; routerId: string; floatingIpId: string; address: string }
  | { kind: 'edge'; networkId: string }
  | { kind: 'uplink' }
  | { kind: 'rule'; direction: 'ingress' | 'egress'; portId: string; groupId: string; ruleId: string }
  /** No group looks at it: protection is off and the port has none. */
  | { kind: 'open'; direction: 'ingress' | 'egress'; portId: string }

/** Why it ends, and where. */
export type ReachObstacle =
  | { kind: 'unknown_port'; portId: string }
  | { kind: 'no_address'; portId: string; version: 4 | 6 }
  | { kind: 'port_down'; portId: string }
  | { kind: 'network_down'; networkId: string }
  | { kind: 'router_down'; routerId: string }
  | { kind: 'no_gateway'; networkId: string; version: 4 | 6 }
  /** The first hop that guests are told is at no router and not at the edge. */
  | { kind: 'gateway_unanswered'; networkId: string; gateway: string }
  | { kind: 'no_route'; routerId: string; address: string }
  | { kind: 'nexthop_unanswered'; routerId: string; nexthop: string }
  | { kind: 'nobody'; networkId: string; address: string }
  | { kind: 'loop'; routerId: string }
  /** No rule of its groups lets it pass; without groups, nothing passes. */
  | { kind: 'no_rule'; direction: 'ingress' | 'egress'; portId: string; groupIds: string[] }
  /** The way back is another one, or there is none, so that no answer comes. */
  | { kind: 'no_way_back'; at: string }
  /** The edge opens no connections to this network. */
  | { kind: 'edge_closed'; networkId: string }
  /** From outside, only floating addresses lead past a router that translates. */
  | { kind: 'router_closed'; routerId: string }
  /** It is an address of the cloud itself, which answers other things there. */
  | { kind: 'not_served'; address: string }
  /** The way out of this host has IPv4 only. */
  | { kind: 'no_uplink'; version: 4 | 6 }

export interface ReachExplanation {
  question: ReachQuestion
  allowed: boolean
  steps: ReachStep[]
  /** Null where it is allowed. */
  obstacle: ReachObstacle | null
}
