import type { ReachQuestion } from '../wanted'

/* The result of a reachability analysis, which is computed from the wanted state without sending a packet. */

/** One hop or decision on the path, in order. */
export type ReachStep =
  | { kind: 'switch'; networkId: string }
  | { kind: 'route'; routerId: string; destination: string; nexthop: string | null }
  | { kind: 'snat'; routerId: string; address: string }
  | { kind: 'dnat'; routerId: string; floatingIpId: string; address: string }
  | { kind: 'edge'; networkId: string }
  | { kind: 'uplink' }
  | { kind: 'rule'; direction: 'ingress' | 'egress'; portId: string; groupId: string; ruleId: string }
  /** No security group applies: spoofing protection is off and the port has no groups. */
  | { kind: 'open'; direction: 'ingress' | 'egress'; portId: string }
  /** A load balancer forwards the connection to this member. */
  | { kind: 'balancer'; balancerId: string; member: string }
  /** Through a tunnel, to its peer (`egress`) or from it (`ingress`). */
  | { kind: 'tunnel'; direction: 'ingress' | 'egress'; connectionId: string; peer: string }

export interface MissingRule extends Pick<ReachQuestion, 'protocol' | 'port'> {
  version: 4 | 6
}

/** Why and where the path ends. */
export type ReachObstacle =
  | { kind: 'unknown_port'; portId: string }
  | { kind: 'no_address'; portId: string; version: 4 | 6 }
  | { kind: 'port_down'; portId: string }
  | { kind: 'network_down'; networkId: string }
  | { kind: 'router_down'; routerId: string }
  | { kind: 'no_gateway'; networkId: string; version: 4 | 6 }
  /** The guest's gateway is neither a router nor the edge. */
  | { kind: 'gateway_unanswered'; networkId: string; gateway: string }
  | { kind: 'no_route'; routerId: string; address: string }
  | { kind: 'nexthop_unanswered'; routerId: string; nexthop: string }
  | { kind: 'nobody'; networkId: string; address: string }
  | { kind: 'loop'; routerId: string }
  /**
   * No rule of the port's groups allows the packet. Without groups, all packets are refused. `missing` describes a rule
   * that would allow the packet.
   */
  | { kind: 'no_rule'; direction: 'ingress' | 'egress'; portId: string; groupIds: string[]; missing: MissingRule }
  /** The response takes another path or has none, so it never arrives. */
  | { kind: 'no_way_back'; at: string }
  /** The edge does not forward new connections to this network. */
  | { kind: 'edge_closed'; networkId: string }
  /** Connections from outside can pass a router with SNAT only through floating IPs. */
  | { kind: 'router_closed'; routerId: string }
  /** The address belongs to the cloud itself, which does not serve this port. */
  | { kind: 'not_served'; address: string }
  /** No pool of the load balancer listens on this port. */
  | { kind: 'balancer_closed'; balancerId: string }
  /** The source is not in the allowed source ranges. */
  | { kind: 'balancer_refuses'; balancerId: string; address: string }
  /** The pool has no members. */
  | { kind: 'no_member'; balancerId: string }
  /** The tunnel for this packet is not established, so the packet is dropped. */
  | { kind: 'tunnel_down'; connectionId: string }
  /** The tunnel matches the destination, but not the source. */
  | { kind: 'not_in_tunnel'; connectionId: string; address: string }
  /** The port has no floating IP and no load balancer, and its own address is internal. */
  | { kind: 'no_outside_address'; portId: string }
  /** The uplink of this host supports IPv4 only. */
  | { kind: 'no_uplink'; version: 4 | 6 }

/** A question whose source can also be an address behind a tunnel peer, or an outside address. */
export interface AskedQuestion extends Omit<ReachQuestion, 'from'> {
  /**
   * `isSeen`: the target sees the source address. On this host, it sees the edge's address instead, because the edge
   * forwards the connection.
   */
  from: ReachQuestion['from'] | { address: string; isSeen?: boolean }
}

export interface ReachExplanation<Question extends AskedQuestion = AskedQuestion> {
  question: Question
  allowed: boolean
  steps: ReachStep[]
  /** Null if the connection is allowed. */
  obstacle: ReachObstacle | null
}
