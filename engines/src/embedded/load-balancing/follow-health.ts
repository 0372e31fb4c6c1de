import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { PoolMember } from '@mainstay/contract/load-balancing/members'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { countsOf } from '../../load-balancing/counts'
import type { BalancerReport } from '../../network-model/wanted-balancers'
import type { Engine } from '../engine'
import { followReports } from '../networking/follow-reports'
import { changing } from '../networking/rows'
import { reasonOf } from './reasons'
import { balancerKind, poolsKind, poolsOf, putBalancer } from './rows'

/** Updates members' health from the load balancers' reports. Returns a function that stops the updates. */
export const followHealth = (engine: Engine): (() => Promise<void>) =>
  followReports<BalancerReport>(engine, {
    isThere: () => !!engine.carrier.wanted()?.balancers.length,
    reports: async () => {
      const told = (await engine.hypervisor.dataplane?.balancers()) ?? new Map<string, BalancerReport>()
      // skip load balancers that are running but do not respond: they report nothing new
      return new Map([...told].filter(([, { isCarried }]) => isCarried !== null))
    },
    textOf: ({ isCarried, members, roles }) => JSON.stringify([isCarried, [...members], [...roles]]),
    write: (id, report) => write(engine, id, report).then(() => true),
    fault: 'failed to save the health of members',
  })

/** Returns the amphora with its current role. One that cannot take over is also shown as BACKUP. */
function inRole(amphora: LoadBalancer['amphorae'][number], { roles }: BalancerReport) {
  const found = roles.get(amphora.id)
  if (found === undefined) return amphora
  const role =
    found === 'alone' ? ('STANDALONE' as const) : found === 'master' ? ('MASTER' as const) : ('BACKUP' as const)
  return { ...amphora, role, active: role !== 'BACKUP' }
}

const away = 'Its HAProxy stopped and is being restarted'

/**
 * Sets the fault while no process serves the load balancer, and clears it afterwards. Other states are left to the
 * command that changes the load balancer.
 */
function carriedOrNot({ status, fault }: LoadBalancer, { isCarried }: BalancerReport): Partial<LoadBalancer> {
  if (!isCarried) return status === 'ACTIVE' ? { status: 'ERROR', fault: away } : {}
  return status === 'ERROR' && fault === away ? { status: 'ACTIVE', fault: null } : {}
}

async function write(engine: Engine, id: string, report: BalancerReport): Promise<void> {
  const wanted = engine.carrier.wanted()
  const isPassedOn = await engine.records.transaction(async (tx) => {
    const balancer = await tx.lock<LoadBalancer>(balancerKind, id)
    if (!balancer?.enabled) return false
    let isOther = false
    let isUdp = false
    for (const pool of await poolsOf(tx, id)) {
      const members = pool.members.map((member) => followed(member, pool, balancer, report))
      if (JSON.stringify(members) === JSON.stringify(pool.members)) continue
      isOther = true
      isUdp ||= pool.protocol === 'UDP'
      await tx.put(poolsKind, { ...pool, members, ...countsOf(members) })
    }
    const amphorae = balancer.amphorae.map((amphora) => inRole(amphora, report))
    const told = carriedOrNot(balancer, report)
    isOther ||= JSON.stringify(amphorae) !== JSON.stringify(balancer.amphorae) || Object.keys(told).length > 0
    if (isOther) await putBalancer(tx, balancer, { amphorae, ...told })
    return isUdp
  })
  // the targets of UDP packets depend on these rows
  if (isPassedOn) await changing(engine, async () => undefined)

  function followed(
    member: PoolMember,
    pool: LoadBalancerPool,
    { port_id, address }: LoadBalancer,
    { members }: BalancerReport,
  ): PoolMember {
    const found = members.get(member.id)
    if (!member.enabled || !found) return member
    if (found.health === 'unknown') return { ...member, health: 'UNKNOWN', reason: null }
    if (found.health === 'up') return { ...member, health: 'HEALTHY', reason: null }
    const reason = reasonOf(found, pool, member, { portId: port_id, address }, wanted)
    return { ...member, health: 'UNHEALTHY', reason }
  }
}
