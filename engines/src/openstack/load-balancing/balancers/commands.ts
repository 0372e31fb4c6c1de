import { Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import {
  isInProgress,
  loadBalancerKind,
  type LoadBalancer,
  type LoadBalancerChange,
  type LoadBalancerStats,
} from '@mainstay/contract/load-balancing/load-balancers'
import * as z from 'zod'
import type { LoadBalancersPort } from '../../../ports/load-balancing'
import type { Scope } from '../../../ports/scope'
import type { Engine, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { keptCertificate, removeSecrets, secretsOf } from '../certificates'
import type { BalancerService } from '../learn'
import { abilitiesOf } from '../providers'
import { onceAccepted, onceMutable, pendingProblem } from '../settle'
import { at, paths } from '../wire'
import { createBalancer } from './create'
import { replaceFloatingIp } from './floating'
import { loadBalancerReader } from './reader'
import { shownBalancer } from './shown'
import { cascade, registerBalancerSteps } from './steps'

/** How long a command waits for the service to accept it, in milliseconds. */
const OWN_TIME_MS = 5_000

/** Load balancer commands. The supported features depend on the provider of the load balancer. */
export function balancerCommands(engine: Engine, service: BalancerService): LoadBalancersPort {
  registerBalancerSteps(engine)
  return {
    create(scope, draft) {
      if (service.unavailable !== null)
        return Promise.reject(fieldProblem('network_id', 'networking.unavailable', { reason: service.unavailable }))
      return createBalancer(engine, service, scope, draft)
    },
    update: (scope, id, change) => update(engine, scope, id, change),
    delete: (scope, id) => remove(engine, scope, id),
    recreate: (scope, id) => carriedAnew(engine, scope, id, 'compute.load_balancer.recreate'),
    failover: (scope, id) => carriedAnew(engine, scope, id, 'compute.load_balancer.failover'),
    stats: (scope, id) => stats(engine, scope, id),
  }
}

const subjectOf = ({ id, name }: LoadBalancer) => ({ kind: loadBalancerKind.name, id, name })

/** Returns the row of a load balancer. Throws `lb_pending` if it is being created or deleted, or is stuck. */
const changeable = (engine: Engine, scope: Scope, id: string): Promise<LoadBalancer> =>
  loadUnlessRefused(engine, loadBalancerReader, scope, id, ({ status, fault }) => {
    if (isInProgress(status)) return fault ? pendingProblem(fault) : problem('loadBalancing.balancer_busy')
    return status === 'CONFIGURING' && fault ? pendingProblem(fault) : null
  })

async function update(engine: Engine, scope: Scope, id: string, change: LoadBalancerChange): Promise<LoadBalancer> {
  const row = await changeable(engine, scope, id)
  const { name, description, enabled, floating_ip } = change
  const cloud = await engine.as(scope)
  const body = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(enabled !== undefined && { admin_state_up: enabled }),
  }
  if (floating_ip !== undefined) await replaceFloatingIp(engine, cloud, row, floating_ip)
  if (Object.keys(body).length > 0) {
    const meant: TrackedTask = {
      ...{ name: 'compute.load_balancer.update', subject: subjectOf(row), until: 'settled', scope },
    }
    await engine.command(meant, async () => {
      const sent = await onceMutable(cloud, id, Date.now() + OWN_TIME_MS, () =>
        cloud.send('PUT', 'load-balancer', at(paths.balancers, id), z.void(), { body: { loadbalancer: body } }),
      )
      if (!sent) throw pendingProblem(null)
    })
  }
  return shownBalancer(engine, id)
}

async function remove(engine: Engine, scope: Scope, id: string): Promise<LoadBalancer> {
  const row = await changeable(engine, scope, id)
  const cloud = await engine.as(scope)
  const pools = row.pools.map((pool) => pool.id)
  const meant: TrackedTask = {
    ...{ name: 'compute.load_balancer.delete', subject: subjectOf(row), until: 'gone', scope },
    args: { pools, port: row.port_id, floating: row.floating_ip_id },
  }
  await engine.command(meant, () =>
    onceAccepted(cloud, id, Date.now() + OWN_TIME_MS, async () => {
      await unlessGone(cloud.send('DELETE', 'load-balancer', at(paths.balancers, id), z.void(), cascade))
    }),
  )
  for (const pool of pools) {
    const kept = await keptCertificate(engine.records, pool)
    if (kept) await removeSecrets(cloud, secretsOf(kept)).catch(() => undefined)
  }
  return (await unlessGone(shownBalancer(engine, id))) ?? { ...row, status: 'DELETING' }
}

/** Rebuilds or fails over a load balancer: the service creates a replacement and deletes the original. */
async function carriedAnew(
  engine: Engine,
  scope: Scope,
  id: string,
  name: 'compute.load_balancer.recreate' | 'compute.load_balancer.failover',
): Promise<LoadBalancer> {
  const row = await changeable(engine, scope, id)
  const isRecreated = name === 'compute.load_balancer.recreate'
  if (isRecreated && row.status !== 'ERROR' && row.status !== 'DEPLOYMENT_FAILED')
    throw problem('loadBalancing.rebuild_in_error', {}, { data: { status: row.status } })
  const { name: provider, failover } = abilitiesOf(row.provider ?? '')
  if (!failover) {
    throw problem('loadBalancing.carried_by_network', { provider })
  }
  const cloud = await engine.as(scope)
  const meant: TrackedTask = { ...{ name, subject: subjectOf(row), until: 'settled', scope } }
  const path = `${at(paths.balancers, id)}/failover`
  try {
    await engine.command(meant, () =>
      onceAccepted(cloud, id, Date.now() + OWN_TIME_MS, () => cloud.send('PUT', 'load-balancer', path, z.void())),
    )
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'forbidden') throw error
    throw problem('loadBalancing.failover_of_operators', {}, { cause: error })
  }
  return shownBalancer(engine, id)
}

const Counted = z.object({
  stats: z.object({
    active_connections: z.number(),
    total_connections: z.number(),
    bytes_in: z.number(),
    bytes_out: z.number(),
    request_errors: z.number(),
  }),
})

/** Uses the service account, because metrics are also read when no user is signed in. */
async function stats(engine: Engine, scope: Scope, id: string): Promise<LoadBalancerStats> {
  const { members_count, members_healthy, pools } = await engine.known<LoadBalancer>(loadBalancerKind.name, scope, id)
  const { caller } = engine.reading
  const read = async (path: string) => (await caller.get('load-balancer', `${path}/stats`, Counted)).stats
  const each = await Promise.all(
    pools.map(async (pool) => ({ ...pool, ...(await read(at(paths.listeners, pool.id))) })),
  )
  return { ...(await read(at(paths.balancers, id))), members_count, members_healthy, pools: each }
}
