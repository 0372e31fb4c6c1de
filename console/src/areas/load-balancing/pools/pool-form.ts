import {
  canProxyProtocol,
  canStick,
  forwardHeaders,
  forwardings,
  headersOf,
  insertableHeaders,
  monitorsOf,
  usualAlgorithm,
  type Forwarding,
  type InsertableHeader,
  type LbAlgorithm,
  type PoolProtocol,
} from '@mainstay/contract/load-balancing/forwarding'
import {
  DEFAULT_WEIGHT,
  type HealthMonitor,
  type HealthMonitorDraft,
  type MemberDraft,
  type MonitorType,
} from '@mainstay/contract/load-balancing/members'
import {
  NewPoolDraft,
  NO_CONNECTION_LIMIT,
  type LoadBalancerPool,
  type PoolChange,
  type SniCertificateDraft,
} from '@mainstay/contract/load-balancing/pools'
import * as z from 'zod'
import { certificateNames } from '../words'

/** Frontend and backend protocols combined into one value. `HTTPS-HTTP` terminates TLS at the load balancer. */
export type ForwardingId = `${PoolProtocol}-${PoolProtocol}`
export const forwardingId = ({ protocol, backend_protocol }: Forwarding): ForwardingId =>
  `${protocol}-${backend_protocol}`
export const forwardingOf = (id: ForwardingId): Forwarding => forwardings.find((it) => forwardingId(it) === id)!

export interface MemberForm {
  /** Set only for an existing member. */
  id?: string
  address: string
  name: string
  weight: number | null
  enabled: boolean
}
export interface MonitorForm {
  isOn: boolean
  type: MonitorType
  path: string
  delay: number | null
  timeout: number | null
  rise: number | null
  fall: number | null
}
export interface SniForm {
  /** Fingerprint of an existing certificate; empty for a new one, which requires a private key. */
  fingerprint: string
  names: string
  /** When an existing certificate expires; empty for a new one. */
  ends: string
  certificate: string
  privateKey: string
}
export const newSniCertificate: SniForm = { fingerprint: '', names: '', ends: '', certificate: '', privateKey: '' }

export interface PoolForm {
  name: string
  forwarding: ForwardingId
  port: number | null
  backendPort: number | null
  algorithm: LbAlgorithm
  sticky: boolean
  proxyProtocol: boolean
  headers: InsertableHeader[]
  /** Null means unlimited. */
  limit: number | null
  /** One range per line; empty allows all sources. */
  cidrs: string
  certificate: string
  privateKey: string
  clientCa: string
  sni: SniForm[]
  members: MemberForm[]
  monitor: MonitorForm
}

const usualMonitor = (forwarding: Forwarding): MonitorForm => ({
  isOn: true,
  type: forwarding.protocol === 'TCP' ? 'TCP' : monitorsOf(forwarding)[0]!,
  path: '/',
  ...{ delay: 5, timeout: 3, rise: 3, fall: 3 },
})

const ports: Readonly<Record<PoolProtocol, number | null>> = { HTTP: 80, HTTPS: 443, TCP: null, UDP: null }

/** Default form values for the given forwarding protocols: standard ports, headers and health check. */
export function startOf(id: ForwardingId): PoolForm {
  const forwarding = forwardingOf(id)
  return {
    name: '',
    forwarding: id,
    port: ports[forwarding.protocol],
    backendPort: ports[forwarding.backend_protocol],
    algorithm: usualAlgorithm(forwarding),
    ...{ sticky: false, proxyProtocol: false, limit: null, cidrs: '' },
    headers: headersOf(forwarding).filter((name) => forwardHeaders.some((it) => it === name)),
    ...{ certificate: '', privateKey: '', clientCa: '', sni: [], members: [] },
    monitor: usualMonitor(forwarding),
  }
}

/** Form values for an existing pool. The private key stays empty because the API never returns it. */
export function formOf(pool: LoadBalancerPool): PoolForm {
  const id = forwardingId(pool)
  const { healthmonitor: monitor } = pool
  return {
    ...startOf(id),
    name: pool.name,
    port: pool.protocol_port,
    backendPort: pool.backend_protocol_port,
    algorithm: pool.lb_algorithm,
    sticky: pool.sticky_session,
    proxyProtocol: pool.proxy_protocol_enabled,
    headers: insertableHeaders.filter((name) => pool.insert_headers[name]),
    limit: pool.connection_limit === NO_CONNECTION_LIMIT ? null : pool.connection_limit,
    cidrs: pool.allowed_cidrs.join('\n'),
    clientCa: pool.client_ca ?? '',
    sni: (pool.sni_certificates ?? []).map((it) => ({
      ...newSniCertificate,
      ...{ fingerprint: it.fingerprint, names: certificateNames(it), ends: it.not_after },
    })),
    members: pool.members.map(({ id: member, address, name, weight, enabled }) => ({
      ...{ id: member, address, name, weight, enabled },
    })),
    monitor: monitor ? monitorForm(monitor) : { ...usualMonitor(pool), isOn: false },
  }
}
const monitorForm = ({ type, url_path, delay, timeout, max_retries, max_retries_down, enabled }: HealthMonitor) => ({
  ...{ isOn: enabled, type, path: url_path ?? '/', delay, timeout },
  ...{ rise: max_retries, fall: max_retries_down },
})

export const linesIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const memberDrafts = (members: readonly MemberForm[]): MemberDraft[] =>
  members.map(({ id, address, name, weight, enabled }) => ({
    ...(id !== undefined && { id }),
    address: address.trim(),
    ...(name !== '' && { name }),
    weight: weight ?? DEFAULT_WEIGHT,
    enabled,
  }))

const sniDrafts = (entries: readonly SniForm[]): SniCertificateDraft[] =>
  entries.map(({ fingerprint, certificate, privateKey }) =>
    fingerprint === '' ? { certificate, private_key: privateKey } : { fingerprint },
  )

/** Request body for the health check; null disables it. */
export function monitorDraft({ isOn, type, path, delay, timeout, rise, fall }: MonitorForm): HealthMonitorDraft | null {
  if (!isOn) return null
  return {
    type,
    ...((type === 'HTTP' || type === 'HTTPS') && { url_path: path }),
    // an empty field becomes 0, which fails validation
    ...{ delay: delay ?? 0, timeout: timeout ?? 0, max_retries: rise ?? 0, max_retries_down: fall ?? 0, enabled: true },
  }
}

/**
 * Request body with a pool's editable settings, except members, health check and allowed source ranges. `before`: form
 * values of the existing pool.
 */
export function settingsOf(form: PoolForm, before?: PoolForm): PoolChange {
  const forwarding = forwardingOf(form.forwarding)
  return {
    ...(form.name !== '' && { name: form.name }),
    lb_algorithm: form.algorithm,
    sticky_session: canStick(forwarding) && form.sticky,
    proxy_protocol_enabled: canProxyProtocol(forwarding) && form.proxyProtocol,
    insert_headers: Object.fromEntries(headersOf(forwarding).map((name) => [name, form.headers.includes(name)])),
    connection_limit: form.limit ?? NO_CONNECTION_LIMIT,
    ...(forwarding.tls_enabled && {
      ...(form.certificate !== '' && { certificate: form.certificate }),
      ...(form.privateKey !== '' && { private_key: form.privateKey }),
      ...(form.clientCa !== '' && { client_ca: form.clientCa }),
      ...(!isSame(form.sni, before?.sni ?? []) && { sni_certificates: sniDrafts(form.sni) }),
    }),
  }
}

const isSame = (one: readonly SniForm[], other: readonly SniForm[]): boolean =>
  JSON.stringify(sniDrafts(one)) === JSON.stringify(sniDrafts(other))

/** Request body for a new pool. */
export const poolDraft = (form: PoolForm) => {
  const forwarding = forwardingOf(form.forwarding)
  return {
    ...settingsOf(form),
    protocol: forwarding.protocol,
    protocol_port: form.port ?? 0,
    backend_protocol: forwarding.backend_protocol,
    backend_protocol_port: form.backendPort ?? 0,
    tls_enabled: forwarding.tls_enabled,
    allowed_cidrs: linesIn(form.cidrs),
    members: memberDrafts(form.members),
    healthmonitor: monitorDraft(form.monitor),
  }
}

const fieldOf: Readonly<Record<string, string>> = {
  protocol: 'forwarding',
  backend_protocol: 'forwarding',
  tls_enabled: 'forwarding',
  protocol_port: 'port',
  backend_protocol_port: 'backendPort',
  lb_algorithm: 'algorithm',
  sticky_session: 'sticky',
  proxy_protocol_enabled: 'proxyProtocol',
  insert_headers: 'headers',
  connection_limit: 'limit',
  allowed_cidrs: 'cidrs',
  private_key: 'privateKey',
  client_ca: 'clientCa',
  'healthmonitor.url_path': 'monitor.path',
  'healthmonitor.max_retries': 'monitor.rise',
  'healthmonitor.max_retries_down': 'monitor.fall',
}

/** Maps a path in the request body to its form field name. */
export function poolField(path: string): string {
  const [first = '', index, field] = path.split('.')
  if (first === 'sni_certificates') return `sni.${index ?? 0}.${field === 'private_key' ? 'privateKey' : 'certificate'}`
  return fieldOf[path] ?? fieldOf[first] ?? path.replace(/^healthmonitor/, 'monitor')
}

const fields = {
  name: z.string(),
  forwarding: z.custom<ForwardingId>(),
  port: z.number().nullable(),
  backendPort: z.number().nullable(),
  algorithm: z.custom<LbAlgorithm>(),
  sticky: z.boolean(),
  proxyProtocol: z.boolean(),
  headers: z.custom<InsertableHeader[]>(),
  limit: z.number().nullable(),
  cidrs: z.string(),
  certificate: z.string(),
  privateKey: z.string(),
  clientCa: z.string(),
  sni: z.array(z.custom<SniForm>()),
  members: z.array(z.custom<MemberForm>()),
  monitor: z.custom<MonitorForm>(),
}

/**
 * Schema of the pool form. `checkPool` validates the form against the contract. `start`: path prefix for the form
 * fields.
 */
export const poolForm = z.object(fields)
export function checkPool(form: PoolForm, context: z.RefinementCtx, start: readonly string[] = []): void {
  const checked = NewPoolDraft.safeParse(poolDraft(form))
  const seen = new Set<string>()
  for (const { path, message } of checked.error?.issues ?? []) {
    const field = poolField(path.join('.'))
    if (seen.has(field)) continue
    seen.add(field)
    context.addIssue({ code: 'custom', path: [...start, ...field.split('.')], message })
  }
}
