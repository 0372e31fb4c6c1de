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

/** What a member is to be; the rest of one that is there stays. */
export interface WantedMember {
  address: string
  /** Of a member that is there, which keeps its own port. */
  id?: string
  name?: string
  /** The subnet that it is in, where that is known. */
  subnet_id?: string
  weight: number
  admin_state_up: boolean
}

/**
 * What a pool is to be in the words of the service. What is left out stays as it is. It is kept with the task that makes it so, and
 * has no secret.
 */
export interface WantedPool {
  /** With `protocol` and `protocol_port` of one that is to be made. */
  listener: Body
  pool: Body
  /** Of a pool that has to be made; those that are there keep theirs. */
  newPool: Body
  /** Null: none. */
  monitor?: Body | null
  members?: WantedMember[]
  /** Of members that are new. */
  backendPort: number
}

const unsupported = (field: string, provider: LoadBalancerProvider, what: string): Problem =>
  fieldProblem(field, 'loadBalancing.provider_cannot', { name: provider.name, what })

interface Wishes extends Omit<PoolChange, 'tls_enabled'> {
  /** Of one that is to be made. */
  forwarding?: Forwarding
}

/** Refuses at its field what the provider of a balancer cannot do. */
export function refuseInability(provider: LoadBalancerProvider, wishes: Wishes, at = ''): void {
  const { forwarding, lb_algorithm, sticky_session, proxy_protocol_enabled, healthmonitor } = wishes
  const refuse = (field: string, what: string): never => {
    throw unsupported(`${at}${field}`, provider, what)
  }
  if (forwarding && !provider.protocols.includes(forwarding.protocol))
    refuse('protocol', `pass on ${provider.protocols.join(' and ')} only`)
  if (forwarding?.tls_enabled && !provider.tls_termination)
    refuse('tls_enabled', 'end no TLS here: pass it on as it is, HTTPS to HTTPS')
  if (lb_algorithm && !provider.algorithms.includes(lb_algorithm))
    refuse('lb_algorithm', `choose members by ${provider.algorithms.join(', ')} only`)
  if (sticky_session && !provider.sticky_session) refuse('sticky_session', 'have no sticky sessions')
  if (proxy_protocol_enabled && !provider.proxy_protocol) refuse('proxy_protocol_enabled', 'have no PROXY protocol')
  if (healthmonitor && !provider.monitors.includes(healthmonitor.type))
    refuse('healthmonitor.type', `check members by ${provider.monitors.join(' and ')} only`)
  if (wishes.allowed_cidrs?.length && !provider.allowed_cidrs)
    refuse('allowed_cidrs', 'let everybody in: use the security groups of the members')
  if (wishes.connection_limit !== undefined && wishes.connection_limit >= 0 && !provider.connection_limit)
    refuse('connection_limit', 'have no limit of connections')
  for (const [place, { weight }] of (wishes.members ?? []).entries())
    if (weight !== 1 && !provider.weights) refuse(`members.${place}.weight`, 'give all members the same')
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

/** Members as they are to be. Throws at the field of one that cannot be. */
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
    // of an address with several ports each is a member of its own
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

/** The algorithm of a pool that says none: the usual one, or the first that the provider has. */
const algorithmFor = (provider: LoadBalancerProvider, forwarding: Forwarding): LbAlgorithm => {
  const usual = usualAlgorithm(forwarding)
  return provider.algorithms.includes(usual) ? usual : (provider.algorithms[0] ?? usual)
}

type Place = Pick<LoadBalancer, 'ip_version' | 'provider'> & { address: string | null }

/** What a new pool is to be. Throws at its fields what the balancer cannot do. */
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

/** What is to become other of a pool that is there. Throws at its fields what cannot be. */
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
      // one that sticks already goes on as it does, by whatever it is
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
