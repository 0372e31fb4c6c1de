import { Problem, fieldProblem, problem } from '@mainstay/contract/core/problems'
import { loadBalancerKind, MAX_POOLS, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import {
  poolKind,
  type LoadBalancerPool,
  type PoolChange,
  type PoolDraft,
} from '@mainstay/contract/load-balancing/pools'
import type { Resources } from '@mainstay/contract/resources'
import * as z from 'zod'
import type { PlainPort } from '../../../ports/plain'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import { markOf } from '../../networking/marks'
import { orElse } from '../../networking/refusals'
import { unlessGone } from '../../read-each'
import { loadBalancerReader } from '../balancers/reader'
import {
  keepCertificate,
  keptCertificate,
  removeSecrets,
  secretsOf,
  storeTls,
  type KeptCertificate,
} from '../certificates'
import { withSubnets } from '../members'
import { poolRefusal } from '../refusals'
import { onceMutable, pendingProblem } from '../settle'
import { at, paths } from '../wire'
import { converge, type Convergence, type Progress } from './converge'
import { lbPoolReader, readParts } from './reader'
import { registerPoolSteps } from './steps'
import { changeOf, wantedOf } from './wanted'

/** How long a command applies changes itself before its task takes over, in milliseconds. */
const OWN_TIME_MS = 5_000

/** Pool commands. Errors are reported immediately; slow changes continue in a task. */
export function poolCommands(engine: Engine): PlainPort<Resources['loadBalancerPools']['calls']> {
  registerPoolSteps(engine)
  return {
    create: (scope, draft) => create(engine, scope, draft),
    update: (scope, id, change) => update(engine, scope, id, change),
    delete: (scope, id) => remove(engine, scope, id),
  }
}

/** Refreshes the pool and its load balancer, and returns the pool. */
async function shownPool(engine: Engine, id: string, balancer: string): Promise<LoadBalancerPool | null> {
  const pool = await unlessGone(engine.refresh(lbPoolReader, id))
  await unlessGone(engine.refresh(loadBalancerReader, balancer))
  return pool
}

const balancerOf = (engine: Engine, scope: Scope, id: string): Promise<LoadBalancer> =>
  engine.known<LoadBalancer>(loadBalancerKind.name, scope, id)

const subjectOf = ({ id, name }: { id: string; name: string }) => ({ kind: poolKind.name, id, name })

/**
 * Applies the first change, and as many more as possible within `OWN_TIME_MS`. Throws `lb_pending` if not even the
 * first change could be applied, and any errors from the service.
 */
async function begin(cloud: ServiceClient, it: Convergence, progress: Progress): Promise<boolean> {
  const from = progress.step
  const isDone = await orElse(converge(cloud, it, progress, Date.now() + OWN_TIME_MS), (problem) => {
    throw poolRefusal(problem)
  })
  if (!isDone && progress.step === from && progress.listener === null) throw pendingProblem(null)
  return isDone
}

async function create(
  engine: Engine,
  scope: Scope,
  { loadbalancer_id, ...draft }: PoolDraft,
): Promise<LoadBalancerPool> {
  const balancer = await balancerOf(engine, scope, loadbalancer_id).catch((error: unknown) => {
    const isUnknown = error instanceof Problem && error.code === 'not_found'
    throw isUnknown ? fieldProblem('loadbalancer_id', 'loadBalancing.no_such_balancer') : error
  })
  if (balancer.pools.length >= MAX_POOLS)
    throw fieldProblem('loadbalancer_id', 'loadBalancing.most_pools', { most: MAX_POOLS })
  const wanted = wantedOf(draft, balancer)
  if (wanted.members) wanted.members = await withSubnets(engine, balancer, wanted.members)
  const name = String(wanted.listener['name'])
  const cloud = await engine.as(scope)
  const stored = await storeTls(cloud, `${balancer.name} ${name}`, draft, null)
  if (stored) Object.assign(wanted.listener, certificateBody(stored.kept))
  const meant: TrackedTask = {
    ...{ name: 'compute.lb_pool.create', subject: subjectOf({ id: '', name }), until: 'settled', scope },
    args: { balancer: balancer.id, wanted },
  }
  const progress: Progress = { listener: null, step: 0 }
  try {
    await engine.command(
      meant,
      async (intent) => {
        const marked = { ...wanted, listener: { ...wanted.listener, tags: [markOf(intent)] } }
        try {
          await begin(cloud, { balancer: balancer.id, wanted: marked }, progress)
        } catch (error) {
          // deleted in a task, because the service may still be busy with it
          if (progress.listener !== null) await takeBack(engine, scope, { id: progress.listener, name }, balancer.id)
          throw error
        }
      },
      () => [
        {
          ...meant,
          subject: subjectOf({ id: progress.listener!, name }),
          args: { balancer: balancer.id, wanted, step: progress.step },
        },
      ],
    )
  } catch (error) {
    // if the outcome is unknown, the listener may be using the certificate
    if (stored && error instanceof Problem && error.status < 500 && progress.listener === null)
      await removeSecrets(cloud, stored.added).catch(() => undefined)
    throw error
  }
  if (stored) await keepCertificate(engine.records, progress.listener!, stored.kept)
  const made = await shownPool(engine, progress.listener!, balancer.id)
  if (!made) throw problem('loadBalancing.pool_not_shown')
  return made
}

/** Starts a task that deletes the parts of a pool that were created. */
const takeBack = (engine: Engine, scope: Scope, pool: { id: string; name: string }, balancer: string) =>
  engine.trackToCompletion({
    ...{ name: 'compute.lb_pool.delete', subject: subjectOf(pool), until: 'gone', scope },
    args: { balancer, pool: null, isSent: false },
  })

/** Builds the certificate fields of a listener. `foreign`: SNI certificates set by other clients, which are kept. */
export const certificateBody = (
  { container, clientCaRef, sni = [] }: KeptCertificate,
  foreign: readonly string[] = [],
) => ({
  default_tls_container_ref: container,
  sni_container_refs: [...sni.map((one) => one.container), ...foreign],
  ...(clientCaRef === null
    ? { client_ca_tls_container_ref: null, client_authentication: 'NONE' }
    : { client_ca_tls_container_ref: clientCaRef, client_authentication: 'OPTIONAL' }),
})

async function update(engine: Engine, scope: Scope, id: string, change: PoolChange): Promise<LoadBalancerPool> {
  await engine.known<LoadBalancerPool>(poolKind.name, scope, id)
  // the members in the index may be outdated
  const row = await engine.refresh(lbPoolReader, id)
  const balancer = await balancerOf(engine, scope, row.loadbalancer_id)
  const wanted = changeOf(change, row, balancer)
  if (wanted.members) wanted.members = await withSubnets(engine, balancer, wanted.members)
  const cloud = await engine.as(scope)
  const before = await keptCertificate(engine.records, id)
  const stored = await storeTls(cloud, `${balancer.name} ${row.name}`, change, before)
  if (stored) {
    const { listener } = await readParts(engine.reading, id)
    const own = new Set(before?.sni?.map(({ container }) => container))
    const foreign = listener.sni_container_refs.filter((container) => !own.has(container))
    const body = certificateBody(stored.kept, foreign)
    // keep a certificate set by another client unless a new one was sent
    const { sni_container_refs } = body
    Object.assign(wanted.listener, change.certificate === undefined ? { sni_container_refs } : body)
  }
  const progress: Progress = { listener: id, step: 0 }
  const meant: TrackedTask = {
    ...{ name: 'compute.lb_pool.update', subject: subjectOf(row), until: 'settled', scope },
    args: { balancer: balancer.id, wanted },
  }
  await engine.command(
    meant,
    async () => {
      if ((await begin(cloud, { balancer: balancer.id, wanted }, progress)) || progress.step > 0) return
      throw pendingProblem(null)
    },
    () => [{ ...meant, args: { balancer: balancer.id, wanted, step: progress.step } }],
  )
  if (stored) {
    await keepCertificate(engine.records, id, stored.kept)
    await removeSecrets(cloud, stored.former).catch(() => undefined)
  }
  return (await shownPool(engine, id, balancer.id)) ?? { ...row, status: 'CONFIGURING' }
}

async function remove(engine: Engine, scope: Scope, id: string): Promise<void> {
  await engine.known<LoadBalancerPool>(poolKind.name, scope, id)
  const cloud = await engine.as(scope)
  const row = await engine.refresh(lbPoolReader, id)
  const pool = await ownPoolOf(engine, id)
  const kept = await keptCertificate(engine.records, id)
  const meant: TrackedTask = {
    ...{ name: 'compute.lb_pool.delete', subject: subjectOf(row), until: 'gone', scope },
    args: { balancer: row.loadbalancer_id, pool, isSent: true },
  }
  await engine.command(meant, async () => {
    const sent = await onceMutable(cloud, row.loadbalancer_id, Date.now() + OWN_TIME_MS, () =>
      unlessGone(cloud.send('DELETE', 'load-balancer', at(paths.listeners, id), z.void())),
    )
    if (!sent) throw pendingProblem(null)
  })
  if (kept) await removeSecrets(cloud, secretsOf(kept)).catch(() => undefined)
  await shownPool(engine, id, row.loadbalancer_id)
}

/** Returns the ID of the pool behind a listener, or null if there is none or another listener also uses it. */
async function ownPoolOf({ reading }: Engine, listener: string): Promise<string | null> {
  const { pool } = await readParts(reading, listener)
  return pool?.listeners.every((id) => id === listener) ? pool.id : null
}
