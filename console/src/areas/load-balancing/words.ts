import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { HealthMonitor, MemberHealth } from '@mainstay/contract/load-balancing/members'
import type { LoadBalancerPool, PoolCertificate } from '@mainstay/contract/load-balancing/pools'
import type { Key } from '../../i18n/catalogues'
import type { Translate } from '../../i18n/use-t'
import type { Status } from '../../patterns/table/columns'
import type { Tone } from '../../ui/tone'

type T = Translate<'loadBalancing'>

const statusWords: Readonly<Record<LoadBalancer['status'], readonly [Tone, Key<'loadBalancing'>]>> = {
  ACTIVE: ['ok', 'is.active'],
  DISABLED: ['idle', 'is.disabled'],
  CREATING: ['busy', 'is.creating'],
  CONFIGURING: ['busy', 'is.configuring'],
  DELETING: ['busy', 'is.deleting'],
  DEPLOYMENT_FAILED: ['bad', 'is.deploymentFailed'],
  ERROR: ['bad', 'is.error'],
  DOWN: ['idle', 'is.down'],
  BUILD: ['busy', 'is.build'],
  PENDING_CREATE: ['busy', 'is.pendingCreate'],
  PENDING_UPDATE: ['busy', 'is.pendingUpdate'],
  PENDING_DELETE: ['busy', 'is.pendingDelete'],
}
export const balancerStatuses = Object.keys(statusWords) as readonly LoadBalancer['status'][]

type Counted = Pick<LoadBalancer, 'members_count' | 'members_unhealthy'>

/**
 * Status of a load balancer or pool. An active one with unhealthy members gets a warning; the text is shorter in table
 * rows because the members column shows the counts.
 */
export function balancerStatus(
  item: { status: LoadBalancer['status']; fault?: string | null | undefined; enabled: boolean } & Counted,
  t: T,
  { isInRow = false } = {},
): Status {
  const { status, fault, enabled } = item
  const [tone, key] = statusWords[status]
  if (status !== 'ACTIVE') return { tone, text: t(key) }
  if (!enabled) return { tone: 'idle', text: t('is.disabled') }
  if (fault) return { tone: 'warn', text: t(key), detail: fault }
  const { members_unhealthy: lost, members_count: count } = item
  if (lost === 0) return { tone, text: t(key) }
  return { tone: 'warn', text: t(isInRow ? 'is.lostInRow' : 'is.lost', { lost, count }) }
}
export const balancerStatusText = (status: LoadBalancer['status'], t: T): string => t(statusWords[status][1])

const healthWords: Readonly<Record<MemberHealth, readonly [Tone, Key<'loadBalancing'>]>> = {
  HEALTHY: ['ok', 'health.healthy'],
  UNHEALTHY: ['bad', 'health.unhealthy'],
  DISABLED: ['idle', 'health.disabled'],
  UNKNOWN: ['warn', 'health.unknown'],
  ERROR: ['bad', 'health.error'],
}

/** Health of a member. A disabled member is shown as disabled, regardless of its last health check. */
export function memberHealth({ health, enabled }: { health: MemberHealth; enabled: boolean }, t: T): Status {
  const [tone, key] = healthWords[enabled ? health : 'DISABLED']
  return { tone, text: t(key) }
}

const isPair = (roles: readonly string[]) => roles.includes('MASTER') && roles.includes('BACKUP')

/**
 * Returns the availability of a load balancer: active/standby or standalone. An unknown role is logged and shown as
 * standalone.
 */
export function availability(amphorae: LoadBalancer['amphorae'], t: T): string {
  const roles = amphorae.map(({ role }) => role as string)
  const unknown = roles.filter((role) => !['STANDALONE', 'MASTER', 'BACKUP'].includes(role))
  // oxlint-disable-next-line no-console -- reports a value that this console does not know
  if (unknown.length > 0) console.warn(`Unknown state of high availability: ${unknown.join(', ')}`)
  return t(isPair(roles) ? 'ha.pair' : 'ha.alone')
}

/** Describes the forwarding of a pool: "HTTPS 443 to HTTP 80". */
export const forwardingText = (
  pool: Pick<LoadBalancerPool, 'protocol' | 'protocol_port' | 'backend_protocol' | 'backend_protocol_port'>,
  t: T,
): string =>
  t('pools.forwarding', {
    front: `${pool.protocol} ${pool.protocol_port}`,
    back: `${pool.backend_protocol} ${pool.backend_protocol_port}`,
  })

/** Joins the names of a certificate: "shop.example, www.shop.example". */
export const certificateNames = ({ names, subject }: Pick<PoolCertificate, 'names' | 'subject'>): string =>
  names.join(', ') || subject

/** Settings that were made outside the console and cannot be edited in it; empty if there are none. */
export const foreignFacts = ({ foreign }: Pick<LoadBalancer, 'foreign'>, t: T): [label: string, lines: string][] =>
  foreign && foreign.length > 0 ? [[t('foreign'), foreign.join('; ')]] : []

export const algorithmKeys = {
  LEAST_CONNECTIONS: 'algorithm.least',
  ROUND_ROBIN: 'algorithm.round',
  SOURCE_IP: 'algorithm.source',
  SOURCE_IP_PORT: 'algorithm.sourcePort',
} as const satisfies Record<LoadBalancerPool['lb_algorithm'], Key<'loadBalancing'>>

export const monitorNames = {
  HTTP: 'HTTP',
  HTTPS: 'HTTPS',
  TCP: 'TCP',
  'UDP-CONNECT': 'UDP',
  PING: 'PING',
} as const satisfies Record<HealthMonitor['type'], string>

/** Describes a health check: "HTTP / every 5 s, unhealthy after 3 failures". */
export const monitorText = (
  {
    type,
    url_path: path,
    delay,
    max_retries_down: failures,
  }: Pick<HealthMonitor, 'type' | 'delay' | 'max_retries_down'> & {
    url_path?: string | null | undefined
  },
  t: T,
): string => t('monitor.text', { what: [monitorNames[type], path].filter(Boolean).join(' '), delay, failures })
