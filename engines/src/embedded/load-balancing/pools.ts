import { randomUUID } from 'node:crypto'
import { notFound, Problem, fieldProblem, problemOf, withFieldNames } from '@mainstay/contract/core/problems'
import {
  poolFaults,
  portsConflict,
  usualAlgorithm,
  usualHeaders,
  usualPort,
} from '@mainstay/contract/load-balancing/forwarding'
import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { MAX_POOLS } from '@mainstay/contract/load-balancing/load-balancers'
import type { HealthMonitor, HealthMonitorDraft } from '@mainstay/contract/load-balancing/members'
import {
  forwardingOf,
  NO_CONNECTION_LIMIT,
  type LoadBalancerPool,
  type NewPoolDraft,
  type PoolChange,
  type PoolDraft,
} from '@mainstay/contract/load-balancing/pools'
import { parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import { readCertificates, sniPairs, soundPair } from '../../load-balancing/certificates'
import { countsOf } from '../../load-balancing/counts'
import type { PlainPort } from '../../ports/plain'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import type { Resources } from '@mainstay/contract/resources'
import { getOwn } from '../access'
import type { Engine } from '../engine'
import { changing, now, ownerOf, requireNetworks } from '../networking/rows'
import { resolveMembers } from './members'
import { beingChanged, lockBalancer, poolsKind, poolsOf, putBalancer } from './rows'
import { keepTls, tlsOf } from './secrets'

const monitorOf = (draft: HealthMonitorDraft | null): HealthMonitor | null =>
  draft && {
    ...draft,
    url_path: draft.type === 'HTTP' || draft.type === 'HTTPS' ? (draft.url_path ?? '/') : null,
  }

/** Normalizes ranges. Throws if a range has a different IP version than the load balancer. */
const rangesOf = (cidrs: readonly string[], { ip_version }: LoadBalancer, at: string): string[] => [
  ...new Set(
    cidrs.map((cidr, index) => {
      const range = parseRange(cidr)!
      if (range.version !== ip_version)
        throw fieldProblem(`${at}allowed_cidrs.${index}`, 'loadBalancing.range_version', { version: ip_version })
      return rangeText(range)
    }),
  ),
]

function refuseAlgorithm({ protocol, lb_algorithm }: Pick<LoadBalancerPool, 'protocol' | 'lb_algorithm'>, at: string) {
  if (lb_algorithm === 'SOURCE_IP_PORT') throw fieldProblem(`${at}lb_algorithm`, 'loadBalancing.algorithm')
  if (protocol === 'UDP' && lb_algorithm === 'LEAST_CONNECTIONS')
    throw fieldProblem(`${at}lb_algorithm`, 'loadBalancing.udp_algorithm')
}

/** Prefixes the fields of an error with the path of the pool in the request. */
async function within<Result>(at: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (at === '' || !(error instanceof Problem)) throw error
    throw withFieldNames(error, (field) => `${at}${field}`)
  }
}

const tlsFields = ['certificate', 'private_key', 'client_ca', 'sni_certificates'] as const
type ShownTls = Partial<Pick<LoadBalancerPool, 'certificate' | 'client_ca' | 'sni_certificates'>>

/** Stores the certificates and keys in the request; others stay unchanged. Returns the public fields for the row. */
async function keepCertificate(
  { seals }: Engine,
  tx: RecordsTransaction,
  poolId: string,
  { certificate, private_key, client_ca, sni_certificates }: Pick<PoolChange, (typeof tlsFields)[number]>,
  shown: ShownTls = {},
): Promise<ShownTls> {
  if ([certificate, private_key, client_ca, sni_certificates].every((sent) => sent === undefined)) return {}
  const before = await tlsOf(tx, seals, poolId)
  const [text, key] = [certificate ?? before?.certificate, private_key ?? before?.key]
  if (text === undefined || key === undefined) throw fieldProblem('private_key', 'loadBalancing.key_is_missing')
  // do not check an unchanged certificate again, so that an expired one does not block other changes
  const isSame = certificate === undefined && private_key === undefined && shown.certificate
  const pair = isSame ? { certificate: text, key, shown: shown.certificate! } : soundPair(text, key)
  const known = (before?.sni ?? []).flatMap(({ fingerprint, ...rest }) => {
    const its = shown.sni_certificates?.find((one) => one.fingerprint === fingerprint)
    return its ? [{ ...rest, shown: its }] : []
  })
  const others = sni_certificates ? sniPairs(sni_certificates, known) : known
  const clients = client_ca
    ? readCertificates(client_ca, 'client_ca')
        .map((one) => one.toString())
        .join('')
    : null
  const clientCa = client_ca === undefined ? (before?.clientCa ?? null) : clients
  const sni = others.map((one) => ({
    fingerprint: one.shown.fingerprint,
    certificate: one.certificate,
    key: one.key,
  }))
  await keepTls(tx, seals, poolId, { certificate: pair.certificate, key: pair.key, clientCa, sni })
  return { certificate: pair.shown, client_ca: clientCa, sni_certificates: others.map((one) => one.shown) }
}

/** Creates a pool in a locked load balancer. The caller writes the load balancer's row. */
export async function makePool(
  engine: Engine,
  tx: RecordsTransaction,
  balancer: LoadBalancer,
  draft: NewPoolDraft,
  at = '',
): Promise<LoadBalancerPool> {
  const others = await poolsOf(tx, balancer.id)
  if (others.length >= MAX_POOLS)
    throw fieldProblem(at === '' ? 'loadbalancer_id' : 'pools', 'loadBalancing.most_pools', { most: MAX_POOLS })
  const taken = others.find((other) => portsConflict(other, draft))
  if (taken) throw fieldProblem(`${at}protocol_port`, 'loadBalancing.port_of_pool', { name: taken.name })
  const forwarding = forwardingOf(draft)
  const id = randomUUID()
  const time = now()
  const members = await resolveMembers(tx, balancer, draft.members ?? [], [], at)
  const shown = await within(at, () => keepCertificate(engine, tx, id, draft))
  const pool: LoadBalancerPool = {
    id,
    name: draft.name ?? `${draft.protocol}-${draft.protocol_port}`,
    description: draft.description ?? '',
    ...{ loadbalancer_id: balancer.id, loadbalancer_name: balancer.name, status: 'CREATING' },
    enabled: draft.enabled ?? true,
    ...forwarding,
    protocol_port: draft.protocol_port,
    backend_protocol_port: draft.backend_protocol_port ?? usualPort(forwarding.backend_protocol) ?? draft.protocol_port,
    ...{ certificate: null, client_ca: null, ...shown },
    lb_algorithm: draft.lb_algorithm ?? usualAlgorithm(draft),
    sticky_session: draft.sticky_session ?? false,
    proxy_protocol_enabled: draft.proxy_protocol_enabled ?? false,
    insert_headers: draft.insert_headers ?? usualHeaders(forwarding),
    connection_limit: draft.connection_limit ?? NO_CONNECTION_LIMIT,
    allowed_cidrs: rangesOf(draft.allowed_cidrs ?? [], balancer, at),
    healthmonitor: monitorOf(draft.healthmonitor ?? null),
    members,
    ...countsOf(members),
    ...ownerOf(balancer),
    created_at: time,
    updated_at: time,
  }
  refuseAlgorithm(pool, at)
  await tx.put(poolsKind, pool)
  return pool
}

const createPool = (
  engine: Engine,
  scope: Scope,
  { loadbalancer_id, ...draft }: PoolDraft,
): Promise<LoadBalancerPool> =>
  changing(engine, async (tx) => {
    requireNetworks(engine, 'loadbalancer_id')
    const balancer = await lockBalancer(tx, scope, loadbalancer_id).catch((error: unknown) => {
      const isUnknown = error instanceof Problem && error.code === 'not_found'
      throw isUnknown ? fieldProblem('loadbalancer_id', 'loadBalancing.no_such_balancer') : error
    })
    const pool = await makePool(engine, tx, balancer, draft)
    await putBalancer(tx, balancer, beingChanged(balancer))
    return pool
  })

/** Locks a pool and its load balancer. */
async function lockPool(
  tx: RecordsTransaction,
  scope: Scope,
  id: string,
): Promise<{ balancer: LoadBalancer; pool: LoadBalancerPool }> {
  const seen = await getOwn<LoadBalancerPool>(tx, poolsKind, scope, id)
  const balancer = await lockBalancer(tx, scope, seen.loadbalancer_id)
  const pool = await tx.lock<LoadBalancerPool>(poolsKind, id)
  if (!pool) throw notFound()
  return { balancer, pool }
}

/** Fields of a change that are not copied to the row unchanged. */
const others = [...tlsFields, 'members', 'healthmonitor', 'allowed_cidrs'] as const

const updatePool = (engine: Engine, scope: Scope, id: string, change: PoolChange): Promise<LoadBalancerPool> =>
  changing(engine, async (tx) => {
    const { balancer, pool } = await lockPool(tx, scope, id)
    if (change.tls_enabled !== undefined && change.tls_enabled !== pool.tls_enabled)
      throw fieldProblem('tls_enabled', 'loadBalancing.forwarding_is_fixed')
    const [fault] = poolFaults(pool, change)
    if (fault) throw problemOf(fault.message, { field: fault.field })
    const settings = Object.fromEntries(
      Object.entries(change).filter(([name, value]) => value !== undefined && !others.some((other) => other === name)),
    ) as Partial<LoadBalancerPool>
    const { healthmonitor, allowed_cidrs } = change
    const members = change.members ? await resolveMembers(tx, balancer, change.members, pool.members) : pool.members
    const changed: LoadBalancerPool = {
      ...pool,
      ...settings,
      ...(await keepCertificate(engine, tx, id, change, pool)),
      ...(healthmonitor !== undefined && { healthmonitor: monitorOf(healthmonitor) }),
      ...(allowed_cidrs && { allowed_cidrs: rangesOf(allowed_cidrs, balancer, '') }),
      members,
      ...countsOf(members),
      ...{ status: 'CONFIGURING', updated_at: now() },
    }
    refuseAlgorithm(changed, '')
    await tx.put(poolsKind, changed)
    await putBalancer(tx, balancer, beingChanged(balancer))
    return changed
  })

/** Deletes a pool and its secrets. Its load balancer must be locked. */
export async function removePool(tx: RecordsTransaction, id: string): Promise<void> {
  await tx.removePrivate(poolsKind, id)
  await tx.remove(poolsKind, id)
}

const deletePool = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const { balancer } = await lockPool(tx, scope, id)
    await removePool(tx, id)
    await putBalancer(tx, balancer, beingChanged(balancer))
  })

export const poolCommands = (engine: Engine): PlainPort<Resources['loadBalancerPools']['calls']> => ({
  create: (scope, draft) => createPool(engine, scope, draft),
  update: (scope, id, change) => updatePool(engine, scope, id, change),
  delete: (scope, id) => deletePool(engine, scope, id),
})
