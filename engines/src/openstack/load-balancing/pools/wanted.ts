import { type Problem, fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import {
  isForwarding,
  poolFaults,
  usualAlgorithm,
  usualHeaders,
  usualPort,
  type Forwarding,
  type LbAlgorithm,
} from '@mainstay/contract/load-balancing/forwarding'
import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { LoadBalancerProvider } from '@mainstay/contract/load-balancing/load-balancing-service'
import type { HealthMonitorDraft, MemberDraft } from '@mainstay/contract/load-balancing/members'
import {
  forwardingOf,
  NO_CONNECTION_LIMIT,
  type LoadBalancerPool,
  type NewPoolDraft,
  type PoolChange,
} from '@mainstay/contract/load-balancing/pools'
import { addressText, parseAddress, parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import { abilitiesOf } from '../providers'
import { listenerProtocol } from '../family'
import { GOOD_CODES, portTag } from './shape'

type Body = Record<string, unknown>

/** Target state of a member. An existing member keeps its other fields. */
export interface WantedMember {
  address: string
  /** ID of an existing member, which keeps its port. */
  id?: string
  name?: string
  /** Its subnet, if known. */
  subnet_id?: string
  weight: number
  admin_state_up: boolean
}

/**
 * Target state of a pool, in the service's terms. Fields that are missing stay unchanged. Stored in task arguments, so
 * it must not contain secrets.
 */
export interface WantedPool {
  /** Includes `protocol` and `protocol_port` if the listener has to be created. */
  listener: Body
  pool: Body
  /** Additional fields for a pool that has to be created. */
  newPool: Body
  /** Null: no monitor. */
  monitor?: Body | null
  members?: WantedMember[]
  /** Port for new members. */
  backendPort: number
}

const unsupported = (field: string, provider: LoadBalancerProvider, what: string): Problem =>
  fieldProblem(field, 'loadBalancing.provider_cannot', { name: provider.name, what })

interface Wishes extends Omit<PoolChange, 'tls_enabled'> {
  /** Set for a pool that has to be created. */
  forwarding?: Forwarding
}

/** Throws an error on the first field whose value the load balancer's provider does not support. */
export function refuseInability(provider: LoadBalancerProvider, wishes: Wishes, at = ''): void {
  const { forwarding, lb_algorithm, sticky_session, proxy_protocol_enabled, healthmonitor } = wishes
  const refuse = (field: string, what: string): never => {
    throw unsupported(`${at}${field}`, provider, what)
  }
  if (forwarding && !provider.protocols.includes(forwarding.protocol))
    refuse('protocol', `support only ${provider.protocols.join(' and ')}`)
  if (forwarding?.tls_enabled && !provider.tls_termination)
    refuse('tls_enabled', 'cannot terminate TLS. Use TLS passthrough (HTTPS to HTTPS).')
  if (lb_algorithm && !provider.algorithms.includes(lb_algorithm))
    refuse('lb_algorithm', `support only these algorithms: ${provider.algorithms.join(', ')}`)
  if (sticky_session && !provider.sticky_session) refuse('sticky_session', 'do not support sticky sessions')
  if (proxy_protocol_enabled && !provider.proxy_protocol)
    refuse('proxy_protocol_enabled', 'do not support the PROXY protocol')
  if (healthmonitor && !provider.monitors.includes(healthmonitor.type))
    refuse('healthmonitor.type', `support only these health checks: ${provider.monitors.join(', ')}`)
  if (wishes.allowed_cidrs?.length && !provider.allowed_cidrs)
    refuse('allowed_cidrs', 'do not support allowed source ranges. Use the security groups of the members.')
  if (wishes.connection_limit !== undefined && wishes.connection_limit >= 0 && !provider.connection_limit)
    refuse('connection_limit', 'do not support a connection limit')
  for (const [place, { weight }] of (wishes.members ?? []).entries())
    if (weight !== 1 && !provider.weights) refuse(`members.${place}.weight`, 'do not support member weights')
}

const rangesOf = (cidrs: readonly string[], { ip_version }: Pick<LoadBalancer, 'ip_version'>, at: string): string[] => [
  ...new Set(
    cidrs.map((cidr, index) => {
      const range = parseRange(cidr)!
      if (range.version !== ip_version)
        throw fieldProblem(`${at}allowed_cidrs.${index}`, 'loadBalancing.range_version', { version: ip_version })
      return rangeText(range)
    }),
  ),
]

const monitorBody = (draft: HealthMonitorDraft): Body => ({
  ...{ type: draft.type, delay: draft.delay, timeout: draft.timeout, admin_state_up: draft.enabled },
  ...{ max_retries: draft.max_retries, max_retries_down: draft.max_retries_down },
  ...((draft.type === 'HTTP' || draft.type === 'HTTPS') && {
    ...{ url_path: draft.url_path ?? '/', expected_codes: GOOD_CODES },
  }),
})

/** Returns the target state of the members. Throws an error on the field of an invalid member. */
function membersFor(
  drafts: readonly MemberDraft[],
  { ip_version, address: own }: Pick<LoadBalancer, 'ip_version' | 'address'>,
  before: LoadBalancerPool['members'],
  at: string,
): WantedMember[] {
  const seen = new Set<string>()
  return drafts.map((draft, place) => {
    const field = `${at}members.${place}.address`
    const parsed = parseAddress(draft.address)!
    if (parsed.version !== ip_version)
      throw fieldProblem(field, 'loadBalancing.address_version', { version: ip_version })
    const address = addressText(parsed)
    if (address === own) throw fieldProblem(field, 'loadBalancing.address_of_balancer')
    const known = before.find(({ id }) => id === draft.id)
    if (draft.id !== undefined && !known) throw fieldProblem(`${at}members.${place}.id`, 'loadBalancing.no_such_member')
    // the same address with different ports counts as several members
    const isOther = draft.id === undefined || known?.address !== address
    if (isOther && seen.has(address)) throw fieldProblem(field, 'loadBalancing.address_twice')
    seen.add(address)
    const same = known?.address === address ? known : before.find((member) => member.address === address)
    return {
      ...{ address, weight: draft.weight, admin_state_up: draft.enabled },
      ...(same && { id: same.id }),
      ...(draft.name !== undefined && { name: draft.name }),
    }
  })
}

const persistenceFor = ({ backend_protocol }: Pick<Forwarding, 'backend_protocol'>): Body => ({
  type: backend_protocol === 'HTTP' ? 'HTTP_COOKIE' : 'SOURCE_IP',
})

const headersBody = (headers: Partial<Record<string, boolean | undefined>>): Body =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, isOn]) => (isOn ? [[name, 'true']] : [])))

/** Default algorithm: the usual one, or the first that the provider supports. */
const algorithmFor = (provider: LoadBalancerProvider, forwarding: Forwarding): LbAlgorithm => {
  const usual = usualAlgorithm(forwarding)
  return provider.algorithms.includes(usual) ? usual : (provider.algorithms[0] ?? usual)
}

type Place = Pick<LoadBalancer, 'ip_version' | 'provider'> & { address: string | null }

/** Returns the target state of a new pool. Throws an error on a field that the load balancer does not support. */
export function wantedOf(draft: NewPoolDraft, place: Place, at = ''): WantedPool {
  const forwarding = forwardingOf(draft)
  const provider = abilitiesOf(place.provider ?? '')
  refuseInability(provider, { ...draft, forwarding }, at)
  const name = draft.name ?? `${draft.protocol}-${draft.protocol_port}`
  const backendPort = draft.backend_protocol_port ?? usualPort(forwarding.backend_protocol) ?? draft.protocol_port
  const headers = headersBody(draft.insert_headers ?? usualHeaders(forwarding))
  const cidrs = rangesOf(draft.allowed_cidrs ?? [], place, at)
  const admin_state_up = draft.enabled ?? true
  return {
    listener: {
      ...{ name, description: draft.description ?? '', admin_state_up },
      ...{ protocol: listenerProtocol(forwarding), protocol_port: draft.protocol_port },
      ...(Object.keys(headers).length > 0 && { insert_headers: headers }),
      ...(provider.connection_limit && { connection_limit: draft.connection_limit ?? NO_CONNECTION_LIMIT }),
      ...(cidrs.length > 0 && { allowed_cidrs: cidrs }),
    },
    pool: {
      lb_algorithm: draft.lb_algorithm ?? algorithmFor(provider, forwarding),
      ...(draft.sticky_session && { session_persistence: persistenceFor(forwarding) }),
    },
    newPool: {
      ...{ name, protocol: draft.proxy_protocol_enabled ? 'PROXY' : forwarding.backend_protocol },
      tags: [portTag(backendPort)],
    },
    ...(draft.healthmonitor && { monitor: monitorBody(draft.healthmonitor) }),
    ...(draft.members && {
      members: membersFor(draft.members, { ...place, address: place.address ?? '' }, [], at),
    }),
    backendPort,
  }
}

/** Returns the changes to an existing pool. Throws an error on an invalid field. */
export function changeOf(change: PoolChange, row: LoadBalancerPool, balancer: LoadBalancer): WantedPool {
  if (change.tls_enabled !== undefined && change.tls_enabled !== row.tls_enabled)
    throw fieldProblem('tls_enabled', 'loadBalancing.forwarding_is_fixed')
  const asked = change.proxy_protocol_enabled
  if (asked !== undefined && asked !== row.proxy_protocol_enabled)
    throw fieldProblem('proxy_protocol_enabled', 'loadBalancing.backend_is_fixed')
  const [fault] = isForwarding(row) ? poolFaults(row, { ...change, members: [] }) : []
  if (fault) throw problemOf(fault.message, { field: fault.field })
  const provider = abilitiesOf(balancer.provider ?? '')
  refuseInability(provider, {
    ...change,
    lb_algorithm: change.lb_algorithm === row.lb_algorithm ? undefined : change.lb_algorithm,
  })
  const { name, description, enabled, connection_limit, insert_headers, allowed_cidrs, healthmonitor } = change
  const isSticky = change.sticky_session
  return {
    listener: {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(enabled !== undefined && { admin_state_up: enabled }),
      ...(connection_limit !== undefined && provider.connection_limit && { connection_limit }),
      ...(insert_headers !== undefined && { insert_headers: headersBody(insert_headers) }),
      ...(allowed_cidrs !== undefined &&
        provider.allowed_cidrs && { allowed_cidrs: rangesOf(allowed_cidrs, balancer, '') }),
    },
    pool: {
      ...(change.lb_algorithm !== undefined && { lb_algorithm: change.lb_algorithm }),
      // keep an existing type of session persistence
      ...(isSticky !== undefined &&
        isSticky !== row.sticky_session && { session_persistence: isSticky ? persistenceFor(row) : null }),
      ...(enabled && { admin_state_up: true }),
    },
    newPool: {
      ...{ name: name ?? row.name, protocol: row.backend_protocol, tags: [portTag(row.backend_protocol_port)] },
      lb_algorithm: change.lb_algorithm ?? algorithmFor(provider, row),
    },
    ...(healthmonitor !== undefined && { monitor: healthmonitor && monitorBody(healthmonitor) }),
    ...(change.members && { members: membersFor(change.members, balancer, row.members, '') }),
    backendPort: row.backend_protocol_port,
  }
}
