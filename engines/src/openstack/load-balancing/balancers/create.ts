import { Problem, withField, withFieldNames } from '@mainstay/contract/core/problems'
import type { LoadBalancer, LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerKind } from '@mainstay/contract/load-balancing/load-balancers'
import type { ProjectScope } from '../../../ports/scope'
import { subnetFor } from '../../../load-balancing/subnets'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import { markOf } from '../../networking/marks'
import { orElse } from '../../networking/refusals'
import { usableNetwork } from '../../networking/visible'
import { keepCertificate, removeSecrets, secretsOf, storeTls, type KeptCertificate } from '../certificates'
import { familyOf } from '../family'
import type { BalancerService } from '../learn'
import { withSubnets } from '../members'
import { certificateBody } from '../pools/commands'
import { memberBody } from '../pools/converge'
import { wantedOf, type WantedPool } from '../pools/wanted'
import { poolRefusal } from '../refusals'
import { BalancerAnswer, paths, type WireBalancer } from '../wire'
import { carrierFor } from './flavor'
import { leadTo, floatingIpFor, refreshFloatingIps, takeBack, type Reached } from './floating'
import { shownBalancer } from './shown'

interface PoolOfDraft {
  wanted: WantedPool
  kept: KeptCertificate | null
}

/**
 * Returns the request body for a listener and everything behind it, to create them together with their load balancer.
 */
const listenerBody = ({ wanted, kept }: PoolOfDraft, name: string) => ({
  ...wanted.listener,
  ...(kept && certificateBody(kept)),
  default_pool: {
    ...wanted.newPool,
    ...wanted.pool,
    name,
    ...(wanted.monitor && { healthmonitor: { ...wanted.monitor, name } }),
    members: (wanted.members ?? []).map((member) => memberBody(member, undefined, wanted.backendPort)),
  },
})

/** Returns the pool names, made unique because the service requires it. */
function namesOf(pools: readonly PoolOfDraft[]): string[] {
  const seen = new Set<string>()
  return pools.map(({ wanted: { listener } }) => {
    const name = String(listener['name'])
    const own = seen.has(name) ? `${name}-${String(listener['protocol'])}-${String(listener['protocol_port'])}` : name
    seen.add(own)
    return own
  })
}

/**
 * Creates a load balancer. Its pools are created one by one in the task, because some providers do not complete pools
 * that are created in the same call. With TLS termination, everything is created in one call, because certificates
 * require the caller's token, which tasks do not have.
 */
export async function createBalancer(
  engine: Engine,
  service: BalancerService,
  scope: ProjectScope,
  draft: LoadBalancerDraft,
): Promise<LoadBalancer> {
  const field = 'network_id'
  const network = await usableNetwork(engine, scope, draft.network_id, { action: 'direct', field })
  const subnet = subnetFor(network, draft)
  const carrier = await carrierFor(engine, service, draft)
  const place = { ip_version: draft.ip_version, address: draft.address ?? null, ...carrier }
  const around = { network_id: network.id, project_id: scope.project_id, provider: carrier.provider }
  const pools: PoolOfDraft[] = []
  for (const [index, pool] of draft.pools.entries()) {
    const wanted = wantedOf(pool, place, `pools.${index}.`)
    if (wanted.members) wanted.members = await withSubnets(engine, around, wanted.members, `pools.${index}.`)
    pools.push({ wanted, kept: null })
  }
  const cloud = await engine.as(scope)
  let reached: Reached | null = null
  const undo = async (): Promise<void> => {
    for (const { kept } of pools) if (kept) await removeSecrets(cloud, secretsOf(kept))
    await takeBack(cloud, reached)
  }
  try {
    for (const [index, pool] of draft.pools.entries()) {
      const stored = await within(`pools.${index}.`, storeTls(cloud, draft.name, pool, null))
      pools[index]!.kept = stored?.kept ?? null
    }
    reached = await floatingIpFor(engine, cloud, scope, draft)
  } catch (error) {
    await undo().catch(() => undefined)
    throw error
  }
  const isWhole = pools.some(({ kept }) => kept !== null)
  const names = namesOf(pools)
  const loadbalancer = {
    ...{ name: draft.name, description: draft.description, admin_state_up: draft.enabled },
    ...{ vip_subnet_id: subnet.id, ...(draft.address && { vip_address: draft.address }), ...carrier },
    ...(isWhole && { listeners: pools.map((pool, index) => listenerBody(pool, names[index]!)) }),
  }
  const meant: TrackedTask = {
    ...{ name: 'compute.load_balancer.create', until: 'settled', scope },
    subject: { kind: loadBalancerKind.name, id: '', name: draft.name },
    args: { pools: isWhole ? [] : pools.map(({ wanted }) => wanted) },
  }
  let made: WireBalancer
  try {
    made = await engine.command(
      meant,
      (intent) => send(cloud, { ...loadbalancer, tags: [markOf(intent)] }),
      ({ id }) => [{ ...meant, subject: { ...meant.subject, id } }],
    )
  } catch (error) {
    // if the outcome is unknown, the load balancer may be using the stored certificates
    if (error instanceof Problem && error.status < 500) await undo().catch(() => undefined)
    throw error
  }
  await keepCertificates(engine, made.id, pools)
  if (reached) await lead(engine, cloud, scope, made, reached)
  return shownBalancer(engine, made.id)
}

async function within<Result>(at: string, work: Promise<Result>): Promise<Result> {
  return orElse(work, (problem) => {
    throw withFieldNames(problem, (name) => `${at}${name}`)
  })
}

async function send(cloud: ServiceClient, loadbalancer: object): Promise<WireBalancer> {
  const sent = cloud.send('POST', 'load-balancer', paths.balancers, BalancerAnswer, { body: { loadbalancer } })
  const answer = await orElse(sent, (problem) => {
    const { code } = problem
    if (code === 'quota_exceeded') throw withField(problem, { field: 'name' })
    if (code === 'ip_address_in_use') throw withField(problem, { field: 'address' })
    if (code === 'no_free_addresses') throw withField(problem, { field: 'network_id' })
    // the service does not report which pool is at fault
    throw poolRefusal(problem, 'pools.0.')
  })
  return answer.loadbalancer
}

async function keepCertificates(engine: Engine, id: string, pools: readonly PoolOfDraft[]): Promise<void> {
  if (pools.every(({ kept }) => kept === null)) return
  const { listeners } = await familyOf(engine.reading, id)
  for (const { wanted, kept } of pools) {
    const listener = listeners.find((one) => one.protocol_port === wanted.listener['protocol_port'])
    if (kept && listener) await keepCertificate(engine.records, listener.id, kept)
  }
}

/** Assigns the floating IP. If that fails, deletes the load balancer as soon as the service allows it. */
async function lead(
  engine: Engine,
  cloud: ServiceClient,
  scope: ProjectScope,
  made: WireBalancer,
  reached: Reached,
): Promise<void> {
  try {
    await leadTo(cloud, reached.id, made.vip_port_id, reached.field)
  } catch (error) {
    await engine.trackToCompletion({
      ...{ name: 'compute.load_balancer.delete', until: 'gone', scope, args: { isSent: false } },
      subject: { kind: loadBalancerKind.name, id: made.id, name: made.name },
    })
    await takeBack(cloud, reached).catch(() => undefined)
    throw error
  }
  await refreshFloatingIps(engine, made.vip_port_id, [reached.id])
}
