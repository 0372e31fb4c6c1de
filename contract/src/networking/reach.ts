import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints } from '../core/endpoint'
import { someId } from '../core/example'
import { Id } from '../core/names'
import { IpAddress, PortNumber } from './address-fields'
import { SecurityGroupRule } from './security-group-rules'

/** An end of a connection: a port, or any address, inside, outside or behind a VPN connection. */
export const ReachEnd = z.union([z.strictObject({ port_id: Id }), z.strictObject({ address: IpAddress })])
export type ReachEnd = z.infer<typeof ReachEnd>

export const ReachQuestion = z
  .strictObject({
    source: ReachEnd,
    destination: ReachEnd,
    protocol: z.enum(['tcp', 'udp', 'icmp']),
    /** Only for TCP and UDP. */
    port: PortNumber.nullable().default(null),
  })
  .refine(({ protocol, port }) => (protocol === 'icmp') === (port === null), {
    path: ['port'],
    message: says('networking.port_of_protocol'),
  })
  .meta({
    examples: [
      { source: { port_id: someId('port') }, destination: { address: '192.0.2.1' }, protocol: 'tcp', port: 22 },
    ],
  })
export type ReachQuestion = z.infer<typeof ReachQuestion>

/** Codes for checks that passed. */
export const passages = [
  ...(['switch', 'route', 'snat', 'dnat', 'edge', 'uplink', 'rule', 'open', 'balancer'] as const),
  'tunnel',
  'published',
] as const
/** Codes for checks that blocked the traffic. */
export const obstacles = [
  'unknown_port',
  'no_address',
  'port_down',
  'network_down',
  'router_down',
  'no_gateway',
  'gateway_unanswered',
  'no_route',
  'nexthop_unanswered',
  'nobody',
  'loop',
  'no_rule',
  'no_way_back',
  'edge_closed',
  'router_closed',
  'not_served',
  'no_uplink',
  'balancer_closed',
  'balancer_refuses',
  'no_member',
  'tunnel_down',
  'not_in_tunnel',
  'no_outside_address',
] as const
/**
 * Codes for paths that cannot be followed any further: `beyond`, because the path continues in the infrastructure
 * outside a cloud's networks; `not_published`, because the floating IP's port is not published on this host and its
 * access from outside is unknown.
 */
const ends = ['beyond', 'not_published'] as const

/** A hop or a decision, in order. If the traffic is not allowed, the last step says where it is blocked. */
export const ReachStep = z.object({
  code: z.enum([...passages, ...obstacles, ...ends]),
  state: z.enum(['passes', 'refused', 'unknown']),
  /** Security group rules: out of the source or into the destination. Tunnels: into or out of the tunnel. */
  direction: z.enum(['ingress', 'egress']).nullable(),
  /**
   * Object that determined the result: a network, router, floating IP, load balancer, VPN connection, port or security
   * group. Null if there is none or the caller cannot see it.
   */
  object: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  /** The rule that allowed the traffic. */
  rule: SecurityGroupRule.nullable(),
  /**
   * For `no_rule`: a rule that would allow the traffic, in one of the port's groups. Omitted if the caller sees none of
   * these groups.
   */
  missing_rule: SecurityGroupRule.pick({
    security_group_id: true,
    direction: true,
    ethertype: true,
    protocol: true,
    port_range_min: true,
    port_range_max: true,
  }).optional(),
  /** Address or range of the step. */
  address: z.string().nullable(),
})
export type ReachStep = z.infer<typeof ReachStep>

export const ReachAnswer = z.object({
  /** `unknown`: the path includes something that cannot be checked, or leaves the cloud's networks. */
  verdict: z.enum(['allowed', 'refused', 'unknown']),
  steps: z.array(ReachStep),
})
export type ReachAnswer = z.infer<typeof ReachAnswer>

/** Result of sending real packets. `silent`: no response before the timeout. */
export const ReachProbe = z.object({
  outcome: z.enum(['answered', 'refused', 'silent']),
  milliseconds: z.number().nullable(),
  answer: ReachAnswer,
})
export type ReachProbe = z.infer<typeof ReachProbe>

const path = '/api/v2/compute/networks/reach'
export const reach = endpoints({
  ask: {
    verb: 'POST',
    path,
    needs: { ability: 'read', resource: 'compute_networks' },
    isAct: false,
    summary: 'Check whether a source can reach a destination. Returns the traffic path and what allows or blocks it.',
    body: ReachQuestion,
    reply: ReachAnswer,
  },
  probe: {
    verb: 'POST',
    path: `${path}/probe`,
    needs: create('compute_ports'),
    summary: 'Test whether a source can reach a destination. Sends real packets from the port of the source.',
    body: ReachQuestion,
    reply: ReachProbe,
  },
})
