import { says, type RuleText } from '../core/said'
import type { MonitorType } from './members'

/* Valid combinations of frontend and backend protocol, and the features that each supports (product, F2). */

/**
 * Algorithms from S2§9, plus the one that OVN uses (by source address and port). The engine decides which are
 * available: the embedded engine does not offer LEAST_CONNECTIONS for UDP, which is connectionless.
 */
export const lbAlgorithms = ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP', 'SOURCE_IP_PORT'] as const
export type LbAlgorithm = (typeof lbAlgorithms)[number]

export const poolProtocols = ['HTTP', 'HTTPS', 'TCP', 'UDP'] as const
export type PoolProtocol = (typeof poolProtocols)[number]

export const forwardHeaders = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'] as const
/** Headers with details of the client certificate, available with TLS termination. */
export const clientCertificateHeaders = [
  'X-SSL-Client-Verify',
  'X-SSL-Client-Has-Cert',
  'X-SSL-Client-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before',
  'X-SSL-Client-Not-After',
] as const
export const insertableHeaders = [...forwardHeaders, ...clientCertificateHeaders] as const
export type InsertableHeader = (typeof insertableHeaders)[number]
const isOfCertificate = (name: string): boolean => clientCertificateHeaders.some((one) => one === name)

/** Frontend and backend protocol of a pool. */
export interface Forwarding {
  protocol: PoolProtocol
  backend_protocol: PoolProtocol
  /** Whether TLS is terminated at the load balancer. */
  tls_enabled: boolean
}

export const forwardings: readonly Forwarding[] = [
  { protocol: 'HTTP', backend_protocol: 'HTTP', tls_enabled: false },
  { protocol: 'HTTPS', backend_protocol: 'HTTPS', tls_enabled: false },
  { protocol: 'HTTPS', backend_protocol: 'HTTP', tls_enabled: true },
  { protocol: 'TCP', backend_protocol: 'TCP', tls_enabled: false },
  { protocol: 'UDP', backend_protocol: 'UDP', tls_enabled: false },
]

export const isForwarding = (it: Forwarding): boolean =>
  forwardings.some(
    ({ protocol, backend_protocol, tls_enabled }) =>
      protocol === it.protocol && backend_protocol === it.backend_protocol && tls_enabled === it.tls_enabled,
  )

/** Default port in forms; null for TCP and UDP. */
export const usualPort = (protocol: PoolProtocol): number | null =>
  protocol === 'HTTP' ? 80 : protocol === 'HTTPS' ? 443 : null

/** Whether the load balancer parses HTTP requests, which is required for per-request features. */
export const readsRequests = ({ backend_protocol }: Pick<Forwarding, 'backend_protocol'>): boolean =>
  backend_protocol === 'HTTP'
export const canStick = ({ backend_protocol }: Pick<Forwarding, 'backend_protocol'>): boolean =>
  backend_protocol === 'HTTP' || backend_protocol === 'TCP'
export const canProxyProtocol = ({ backend_protocol }: Pick<Forwarding, 'backend_protocol'>): boolean =>
  backend_protocol === 'HTTPS' || backend_protocol === 'TCP'
export const headersOf = (forwarding: Forwarding): readonly InsertableHeader[] =>
  !readsRequests(forwarding) ? [] : forwarding.tls_enabled ? insertableHeaders : forwardHeaders
/** Returns the headers that a pool adds by default. */
export const usualHeaders = (forwarding: Forwarding): Partial<Record<InsertableHeader, boolean>> =>
  readsRequests(forwarding) ? Object.fromEntries(forwardHeaders.map((name) => [name, true])) : {}
export const monitorsOf = ({ protocol }: Pick<Forwarding, 'protocol'>): readonly MonitorType[] =>
  protocol === 'UDP' ? ['UDP-CONNECT'] : ['HTTP', 'HTTPS', 'TCP', 'PING']
/** Default algorithm of a pool. */
export const usualAlgorithm = ({ protocol }: Pick<Forwarding, 'protocol'>): LbAlgorithm =>
  protocol === 'UDP' ? 'ROUND_ROBIN' : 'LEAST_CONNECTIONS'

/** Whether two pools conflict: they use the same port, and both or neither of them use UDP. */
export const portsConflict = (one: ListeningPool, other: ListeningPool): boolean =>
  one.protocol_port === other.protocol_port && (one.protocol === 'UDP') === (other.protocol === 'UDP')
export type ListeningPool = { protocol: PoolProtocol; protocol_port: number }

/** Pool settings that depend on the forwarding type. */
export interface PoolSettings {
  sticky_session?: boolean | undefined
  proxy_protocol_enabled?: boolean | undefined
  insert_headers?: Partial<Record<InsertableHeader, boolean | undefined>> | undefined
  healthmonitor?: { type: MonitorType } | null | undefined
  certificate?: string | undefined
  private_key?: string | undefined
  client_ca?: string | null | undefined
  sni_certificates?: readonly unknown[] | undefined
  members?: readonly { address: string }[] | undefined
}

export interface PoolFault {
  /** A dotted path. */
  field: string
  message: RuleText
}

/** Returns the settings that the forwarding type does not support, or an empty list if there are none. */
export function poolFaults(forwarding: Forwarding, wishes: PoolSettings): PoolFault[] {
  const faults: PoolFault[] = []
  const add = (field: string, message: RuleText) => void faults.push({ field, message })
  const { protocol, tls_enabled } = forwarding
  const rule = `${protocol} to ${forwarding.backend_protocol}`
  if (wishes.sticky_session && !canStick(forwarding))
    add('sticky_session', says('loadBalancing.no_sticky_sessions', { forwarding: rule }))
  if (wishes.proxy_protocol_enabled && !canProxyProtocol(forwarding))
    add('proxy_protocol_enabled', says('loadBalancing.no_proxy_protocol', { forwarding: rule }))
  for (const [name, isOn] of Object.entries(wishes.insert_headers ?? {})) {
    if (!isOn || headersOf(forwarding).some((one) => one === name)) continue
    const message = isOfCertificate(name)
      ? says('loadBalancing.header_needs_termination')
      : says('loadBalancing.header_needs_http')
    add(`insert_headers.${name}`, message)
  }
  const monitor = wishes.healthmonitor?.type
  if (monitor && !monitorsOf(forwarding).includes(monitor))
    add(
      'healthmonitor.type',
      says('loadBalancing.wrong_health_check', { types: monitorsOf(forwarding).join(', '), protocol }),
    )
  for (const field of ['certificate', 'private_key', 'client_ca'] as const)
    if (wishes[field] && !tls_enabled) add(field, says('loadBalancing.certificate_needs_termination'))
  if (wishes.sni_certificates?.length && !tls_enabled)
    add('sni_certificates', says('loadBalancing.certificate_needs_termination'))
  const seen = new Set<string>()
  for (const [at, { address }] of (wishes.members ?? []).entries()) {
    if (seen.has(address)) add(`members.${at}.address`, says('loadBalancing.address_twice'))
    seen.add(address)
  }
  return faults
}
