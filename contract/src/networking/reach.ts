import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints } from '../core/endpoint'
import { someId } from '../core/example'
import { Id } from '../core/names'
import { IpAddress, PortNumber } from './address-fields'
import { SecurityGroupRule } from './security-group-rules'

/** One end of a question: a port of a network, or an address (of anybody, outside, or at the other side of a VPN connection). */
export const ReachEnd = z.union([z.strictObject({ port_id: Id }), z.strictObject({ address: IpAddress })])
export type ReachEnd = z.infer<typeof ReachEnd>

export const ReachQuestion = z
  .strictObject({
    source: ReachEnd,
    destination: ReachEnd,
    protocol: z.enum(['tcp', 'udp', 'icmp']),
    /** Of TCP and UDP. */
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

/** What was looked at on the way, and passes. */
export const passages = [
  ...(['switch', 'route', 'snat', 'dnat', 'edge', 'uplink', 'rule', 'open', 'balancer'] as const),
  'tunnel',
  'published',
] as const
/** Why it ends. */
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
 * Where it is not known how it goes on: past the networks of a cloud, in those of its infrastructure (`beyond`), and how somebody
 * comes to a floating IP of which this host does not publish the port (`not_published`).
 */
const ends = ['beyond', 'not_published'] as const

/** One hop or one decision, in order; the last one of a way that is not allowed says where it ends. */
export const ReachStep = z.object({
  code: z.enum([...passages, ...obstacles, ...ends]),
  state: z.enum(['passes', 'refused', 'unknown']),
  /** Of rules: whether they let out of the source, or into the destination. Of tunnels: whether it goes into one, or comes from there. */
  direction: z.enum(['ingress', 'egress']).nullable(),
  /** What decided: a network, router, floating IP, load balancer, VPN connection, port or group. Null where there is none, or the caller may not see it. */
  object: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  /** The rule that let it pass. */
  rule: SecurityGroupRule.nullable(),
  /** Of `no_rule`: what would let it pass, in a group of the port. Left out where the caller sees none. */
  missing_rule: SecurityGroupRule.pick({
    security_group_id: true,
    direction: true,
    ethertype: true,
    protocol: true,
    port_range_min: true,
    port_range_max: true,
  }).optional(),
  /** An address or a range that the step is about. */
  address: z.string().nullable(),
})
export type ReachStep = z.infer<typeof ReachStep>

export const ReachAnswer = z.object({
  /** `unknown`: more is on the way than is looked at, or it leaves the networks of a cloud, beyond which nothing is known. */
  verdict: z.enum(['allowed', 'refused', 'unknown']),
  steps: z.array(ReachStep),
})
export type ReachAnswer = z.infer<typeof ReachAnswer>

/** What packets did. `silent`: nothing came back within the time. */
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
    summary: 'Who can reach whom: whether packets pass from here to there, and what decides',
    body: ReachQuestion,
    reply: ReachAnswer,
  },
  probe: {
    verb: 'POST',
    path: `${path}/probe`,
    needs: create('compute_ports'),
    summary: 'The same, shown by packets that are sent from the place of the source',
    body: ReachQuestion,
    reply: ReachProbe,
  },
})
