import {
  insertableHeaders,
  lbAlgorithms,
  usualAlgorithm,
  usualPort,
} from '@mainstay/contract/load-balancing/forwarding'
import { monitorTypes, type HealthMonitor, type PoolMember } from '@mainstay/contract/load-balancing/members'
import { NO_CONNECTION_LIMIT, type LoadBalancerPool, type poolStatuses } from '@mainstay/contract/load-balancing/pools'
import type { Port } from '@mainstay/contract/networking/ports'
import { countsOf } from '../../../load-balancing/counts'
import { beforeTimes } from '../../networking/wire'
import type { KeptCertificate } from '../certificates'
import type { ForwardingOfListener } from '../family'
import {
  stuckReason,
  type WireBalancer,
  type WireListener,
  type WireMember,
  type WireMonitor,
  type WirePool,
} from '../wire'

/** Parts of a pool: the listener, the pool behind it, and related objects. */
export interface PoolParts {
  balancer: Pick<WireBalancer, 'id' | 'name'>
  listener: WireListener
  pool: WirePool | null
  forwarding: ForwardingOfListener
  monitor: WireMonitor | null
  members: readonly WireMember[]
  /** The project's ports, from the index. */
  ports: readonly Port[]
  /** Stored with the row if the certificate was set through Mainstay. */
  kept: KeptCertificate | null
  domainId: string
}

type PoolStatus = (typeof poolStatuses)[number]
const statuses: Readonly<Record<string, PoolStatus>> = {
  ...{ PENDING_DELETE: 'DELETING', PENDING_CREATE: 'CREATING', PENDING_UPDATE: 'CONFIGURING', ERROR: 'ERROR' },
}
/** Returns the status of the listener or the pool, whichever is further from completion. */
const statusOf = (parts: readonly (WireListener | WirePool | null)[]): PoolStatus => {
  const told = new Set(parts.map((part) => part?.provisioning_status))
  return Object.entries(statuses).find(([word]) => told.has(word))?.[1] ?? 'ACTIVE'
}

/** Pool tag that stores the port for future members, which is otherwise unknown while the pool has no members. */
const PORT_TAG = /^mainstay:port=(\d+)$/
export const portTag = (port: number): string => `mainstay:port=${port}`
function backendPortOf({ listener, pool, forwarding, members }: Omit<PoolParts, 'balancer' | 'ports'>): number {
  const tagged = pool?.tags.map((tag) => PORT_TAG.exec(tag)?.[1]).find((port) => port !== undefined)
  if (tagged !== undefined) return Number(tagged)
  return members[0]?.protocol_port ?? usualPort(forwarding.backend_protocol) ?? listener.protocol_port
}

const algorithmIn = (word: string) => lbAlgorithms.find((one) => one === word)
const monitorTypeIn = (word: string) => monitorTypes.find((one) => one === word)

/** HTTP status codes with which an HTTP or HTTPS health check passes. */
export const GOOD_CODES = '200-399'

const monitorOf = (monitor: WireMonitor | null): HealthMonitor | null => {
  const type = monitor && monitorTypeIn(monitor.type)
  if (!monitor || !type) return null
  const { delay, timeout, max_retries, max_retries_down, admin_state_up } = monitor
  const url_path = type === 'HTTP' || type === 'HTTPS' ? (monitor.url_path ?? '/') : null
  return { type, url_path, delay, timeout, max_retries, max_retries_down, enabled: admin_state_up }
}

function healthOf({ admin_state_up, operating_status, provisioning_status }: WireMember): PoolMember['health'] {
  if (!admin_state_up) return 'DISABLED'
  if (provisioning_status === 'ERROR') return 'ERROR'
  if (operating_status === 'ERROR') return 'UNHEALTHY'
  return operating_status === 'ONLINE' || operating_status === 'DRAINING' ? 'HEALTHY' : 'UNKNOWN'
}

/** Explains why a health check failed, because the service gives no reason. */
function reasonOf(member: WireMember, health: PoolMember['health'], monitor: WireMonitor | null): string | null {
  if (health === 'ERROR') return 'The cloud could not apply the last change to this member'
  if (health !== 'UNHEALTHY') return null
  const port = member.monitor_port ?? member.protocol_port
  if (!monitor) return 'It does not respond'
  if (monitor.type === 'PING') return 'It does not respond to ping'
  if (monitor.type === 'UDP-CONNECT') return `It does not accept packets on port ${port}`
  const what = monitorTypeIn(monitor.type) === 'TCP' ? 'a connection' : `${monitor.type} requests`
  return (
    `It does not respond to ${what} on port ${port} as expected. ` +
    'Check that its security group allows traffic from the load balancer'
  )
}

function memberOf(member: WireMember, { ports, monitor }: Pick<PoolParts, 'ports' | 'monitor'>): PoolMember {
  const { id, address, subnet_id, weight, admin_state_up } = member
  const port = ports.find(({ fixed_ips }) =>
    fixed_ips.some((it) => it.ip_address === address && (!subnet_id || it.subnet_id === subnet_id)),
  )
  const health = healthOf(member)
  return {
    ...{ id, address, name: member.name || port?.device_name || '', weight, enabled: admin_state_up },
    ...{ health, reason: reasonOf(member, health, monitor) },
    port_id: port?.id ?? null,
    instance_id: port?.device_owner.startsWith('compute:') ? port.device_id : null,
  }
}

/** Describes settings that the contract cannot represent. Changes leave them as they are. */
function foreignOf(
  parts: Pick<PoolParts, 'listener' | 'pool' | 'monitor' | 'members' | 'kept'>,
  port: number,
): string[] {
  const { listener, pool, monitor, members, kept } = parts
  const { l7policies } = listener
  const names = listener.sni_container_refs.filter((ref) => !kept?.sni?.some(({ container }) => container === ref))
  const persistence = pool?.session_persistence
  const ownMembers = members.flatMap((member) => [
    ...(member.protocol_port === port ? [] : [`${member.address} receives traffic on port ${member.protocol_port}`]),
    ...(member.backup ? [`${member.address} is a backup member`] : []),
    ...(member.monitor_address || member.monitor_port
      ? [`${member.address} is checked at ${member.monitor_address ?? member.address}:${member.monitor_port ?? port}`]
      : []),
  ])
  return [
    ...(l7policies.length > 0 ? [`Layer 7 rules (${l7policies.length}) are applied first`] : []),
    ...(names.length > 0 ? [`Additional SNI certificates: ${names.length}`] : []),
    ...(persistence?.type === 'APP_COOKIE' ? [`Sticky sessions use the cookie ${persistence.cookie_name ?? ''}`] : []),
    ...(pool && !pool.admin_state_up && listener.admin_state_up ? ['The pool is disabled with all its members'] : []),
    ...(pool && pool.listeners.length > 1 ? ['Another listener uses the same pool'] : []),
    ...(pool && !algorithmIn(pool.lb_algorithm) ? [`The algorithm is ${pool.lb_algorithm}`] : []),
    ...(pool?.tls_enabled ? ['Connections to members use TLS'] : []),
    ...(monitor && !monitorTypeIn(monitor.type) ? [`The health check uses ${monitor.type}`] : []),
    ...(monitor?.url_path && monitor.http_method && monitor.http_method !== 'GET'
      ? [`The health check uses the method ${monitor.http_method}`]
      : []),
    ...(monitor?.url_path && monitor.expected_codes && monitor.expected_codes !== GOOD_CODES
      ? [`The health check expects the status ${monitor.expected_codes}`]
      : []),
    ...ownMembers,
  ]
}

const failed = 'The cloud could not apply the last change and gives no reason'

export function poolOf(parts: PoolParts): LoadBalancerPool {
  const { balancer, listener, pool, forwarding, monitor, kept, domainId } = parts
  const port = backendPortOf(parts)
  const members = parts.members.map((member) => memberOf(member, parts))
  const status = statusOf([listener, pool])
  const isKept = kept !== null && kept.container === listener.default_tls_container_ref
  const created_at = listener.created_at ?? beforeTimes
  return {
    ...{ id: listener.id, name: listener.name || `${forwarding.protocol}-${listener.protocol_port}` },
    description: listener.description,
    ...{ loadbalancer_id: balancer.id, loadbalancer_name: balancer.name || balancer.id, status },
    fault: status === 'ERROR' ? failed : (stuckReason(listener) ?? (pool && stuckReason(pool))),
    foreign: foreignOf(parts, port),
    enabled: listener.admin_state_up,
    ...forwarding,
    ...{ protocol_port: listener.protocol_port, backend_protocol_port: port },
    certificate: isKept ? kept.shown : null,
    sni_certificates: (kept?.sni ?? [])
      .filter(({ container }) => listener.sni_container_refs.includes(container))
      .map(({ shown }) => shown),
    client_ca: isKept && kept.clientCaRef === (listener.client_ca_tls_container_ref ?? null) ? kept.clientCa : null,
    lb_algorithm: (pool && algorithmIn(pool.lb_algorithm)) ?? usualAlgorithm(forwarding),
    sticky_session: Boolean(pool?.session_persistence),
    insert_headers: Object.fromEntries(
      insertableHeaders.flatMap((name) => (listener.insert_headers?.[name] === 'true' ? [[name, true]] : [])),
    ),
    connection_limit: listener.connection_limit ?? NO_CONNECTION_LIMIT,
    allowed_cidrs: listener.allowed_cidrs,
    healthmonitor: monitorOf(monitor),
    members,
    ...countsOf(members),
    ...{ project_id: listener.project_id, domain_id: domainId },
    ...{ created_at, updated_at: listener.updated_at ?? created_at },
  }
}
