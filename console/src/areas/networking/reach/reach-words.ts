import type { ReachAnswer, ReachEnd, ReachQuestion, ReachStep } from '@mainstay/contract/networking/reach'
import type { Key } from '../../../i18n/catalogues'

/** Resource kinds whose changes can affect whether packets pass. */
export const decidingKinds = [
  ...['security_group', 'port', 'router', 'network', 'subnet', 'floating_ip'],
  ...['load_balancer', 'ipsec_site_connection'],
]

/** Texts for steps. Some depend on the direction of the traffic. */
const words: Readonly<Record<Exclude<ReachStep['code'], keyof typeof byDirection>, Key<'networking'>>> = {
  switch: 'reach.crosses',
  route: 'reach.route',
  snat: 'reach.snat',
  dnat: 'reach.dnat',
  edge: 'reach.edge',
  uplink: 'reach.uplink',
  unknown_port: 'reach.unknownPort',
  no_address: 'reach.noAddress',
  port_down: 'reach.portDown',
  network_down: 'reach.networkDown',
  router_down: 'reach.routerDown',
  no_gateway: 'reach.noGateway',
  gateway_unanswered: 'reach.gatewayUnanswered',
  no_route: 'reach.noRoute',
  nexthop_unanswered: 'reach.hopUnanswered',
  nobody: 'reach.nobody',
  loop: 'reach.loop',
  no_way_back: 'reach.noWayBack',
  edge_closed: 'reach.edgeClosed',
  router_closed: 'reach.routerClosed',
  not_served: 'reach.notServed',
  no_uplink: 'reach.noUplink',
  no_outside_address: 'reach.noOutsideAddress',
  published: 'reach.published',
  not_published: 'reach.notPublished',
  beyond: 'reach.beyond',
  balancer: 'reach.balancer',
  balancer_closed: 'reach.balancerClosed',
  balancer_refuses: 'reach.balancerRefuses',
  no_member: 'reach.noMember',
  tunnel_down: 'reach.tunnelDown',
  not_in_tunnel: 'reach.notInTunnel',
}
const byDirection = {
  rule: { egress: 'reach.letsOut', ingress: 'reach.letsIn' },
  no_rule: { egress: 'reach.keepsIn', ingress: 'reach.keepsOut' },
  open: { egress: 'reach.openOut', ingress: 'reach.openIn' },
  tunnel: { egress: 'reach.tunnelOut', ingress: 'reach.tunnelIn' },
} as const
export const stepKey = ({ code, direction }: ReachStep): Key<'networking'> =>
  code === 'rule' || code === 'no_rule' || code === 'open' || code === 'tunnel'
    ? byDirection[code][direction ?? 'ingress']
    : words[code]

/** Codes of steps in which the traffic leaves a network. */
const leadsOn = new Set<ReachStep['code']>(['route', 'edge', 'tunnel'])

/**
 * Returns the steps of an answer with their text keys. An external network at the edge is listed only once. If both
 * ends are in the same network, the text for that network says so.
 */
export function describeSteps({ steps }: Pick<ReachAnswer, 'steps'>): { step: ReachStep; key: Key<'networking'> }[] {
  const isEdgeOf = ({ object }: ReachStep, at: number) =>
    steps[at]?.code === 'edge' && steps[at].object?.id === object?.id
  const told = steps.filter((step, at) => step.code !== 'switch' || !(isEdgeOf(step, at - 1) || isEdgeOf(step, at + 1)))
  const isDirect =
    told.filter(({ code }) => code === 'switch').length === 1 && !told.some(({ code }) => leadsOn.has(code))
  return told.map((step) => ({ step, key: isDirect && step.code === 'switch' ? 'reach.switch' : stepKey(step) }))
}

/** The inbound rule whose absence blocks the connection, or null if something else blocks it. */
export const missingRuleOf = ({ steps }: ReachAnswer): ReachStep['missing_rule'] | null => {
  const rule = steps.find(({ state }) => state === 'refused')?.missing_rule
  return rule?.direction === 'ingress' ? rule : null
}

export const verdictKeys: Readonly<Record<ReachAnswer['verdict'], Key<'networking'>>> = {
  allowed: 'reach.allowed',
  refused: 'reach.refused',
  unknown: 'reach.unknown',
}
export const stateOfVerdict = { allowed: 'passes', refused: 'refused', unknown: 'unknown' } as const

/** Parses a source or destination: `port:ID` or `address:192.0.2.1`. */
export function endOf(choice: string): ReachEnd | null {
  const [kind, value = ''] = choice.split(/:(.*)/s)
  if (kind === 'port' && value !== '') return { port_id: value }
  return kind === 'address' && value !== '' ? { address: value } : null
}

/** Builds the request for a check. Returns null while a value is missing. */
export function questionOf(
  source: string | null,
  destination: string | null,
  protocol: ReachQuestion['protocol'],
  port: number | null,
): ReachQuestion | null {
  const [from, to] = [source, destination].map((it) => (it === null ? null : endOf(it)))
  if (!from || !to) return null
  if (protocol === 'icmp') return { source: from, destination: to, protocol, port: null }
  return port === null || port < 1 || port > 65_535 ? null : { source: from, destination: to, protocol, port }
}
