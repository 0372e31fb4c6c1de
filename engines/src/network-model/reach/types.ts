import type { ReachQuestion } from '../wanted'

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
  /** A balancer takes it, and passes it on to that member. */
  | { kind: 'balancer'; balancerId: string; member: string }
  /** Protected, to the other side of a tunnel (`egress`), or from there (`ingress`). */
  | { kind: 'tunnel'; direction: 'ingress' | 'egress'; connectionId: string; peer: string }

export interface MissingRule extends Pick<ReachQuestion, 'protocol' | 'port'> {
  version: 4 | 6
}

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
  /** No rule of its groups lets it pass; without groups, nothing passes. `missing`: what a rule would have to name. */
  | { kind: 'no_rule'; direction: 'ingress' | 'egress'; portId: string; groupIds: string[]; missing: MissingRule }
  /** The way back is another one, or there is none, so that no answer comes. */
  | { kind: 'no_way_back'; at: string }
  /** The edge opens no connections to this network. */
  | { kind: 'edge_closed'; networkId: string }
  /** From outside, only floating addresses lead past a router that translates. */
  | { kind: 'router_closed'; routerId: string }
  /** It is an address of the cloud itself, which answers other things there. */
  | { kind: 'not_served'; address: string }
  /** A balancer listens to nothing there. */
  | { kind: 'balancer_closed'; balancerId: string }
  /** Its allowed ranges do not have the source in them. */
  | { kind: 'balancer_refuses'; balancerId: string; address: string }
  /** It has nobody to pass it on to. */
  | { kind: 'no_member'; balancerId: string }
  /** The ends of the tunnel that it belongs into have not agreed: it is dropped. */
  | { kind: 'tunnel_down'; connectionId: string }
  /** The tunnel has its other end, and not this address at this side. */
  | { kind: 'not_in_tunnel'; connectionId: string; address: string }
  /** From outside nothing leads to the port: no floating IP, no load balancer, and its own address is an inner one. */
  | { kind: 'no_outside_address'; portId: string }
  /** The way out of this host has IPv4 only. */
  | { kind: 'no_uplink'; version: 4 | 6 }

/** A question, also of whoever is behind the other end of a tunnel, by an address there. */
export interface AskedQuestion extends Omit<ReachQuestion, 'from'> {
  /** `isSeen`: who is asked sees the address; on this host they see that of the edge, which passes connections on. */
  from: ReachQuestion['from'] | { address: string; isSeen?: boolean }
}

export interface ReachExplanation<Question extends AskedQuestion = AskedQuestion> {
  question: Question
  allowed: boolean
  steps: ReachStep[]
  /** Null where it is allowed. */
  obstacle: ReachObstacle | null
}
