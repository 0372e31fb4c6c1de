import { flavorKind, type Flavor } from '@mainstay/contract/compute/flavors'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { backupPlanKind, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { requireQuota } from '@mainstay/engines/ports/quotas'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'
import { noteTest, scopeOfPlan, type PlanPrivate } from './plan-rows'
import { startTest } from './test-restore'

/* Automatic test restores of backup plans. */

/** A week, less half a day, because runs do not end at the same time each day. In ms. */
const EVERY_MS = 6.5 * 24 * 3_600_000

/** A virtual machine that can be tested, with its recovery points of one moment. */
interface Candidate {
  machine: Instance
  flavor: Flavor
  points: readonly VolumeBackup[]
}

/**
 * Tests the restore of one virtual machine of a plan in a task of its own if the plan says so and no test was started within a
 * week: that whose last test is the oldest. `points`: what the last run has created. Repeatable.
 */
export async function testIfDue(
  tools: Tools,
  { id }: Pick<BackupPlan, 'id'>,
  points: readonly VolumeBackup[],
): Promise<void> {
  const { plan, tested } = await tools.inventory.transaction(async (records) => ({
    plan: await records.get<BackupPlan>(backupPlanKind.name, id),
    tested: (await records.getPrivate<PlanPrivate>(backupPlanKind.name, id))?.tested ?? {},
  }))
  if (plan?.test_restore !== 'weekly' || !tools.capabilities.compute.machine_restore) return
  if (Object.values(tested).some((at) => Date.now() - Date.parse(at) < EVERY_MS)) return
  const scope = scopeOfPlan(plan)
  const timeOf = ({ machine }: Candidate) => tested[machine.id] ?? ''
  const candidates = (await candidatesOf(tools, scope, points)).toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
  const reasons: string[] = []
  for (const candidate of candidates) {
    const reason = await whyNotNow(tools, scope, candidate)
    if (reason === null) return begin(tools, plan, candidate, candidates)
    reasons.push(reason)
  }
  const machine = candidates[0]?.machine
  await tools.inventory.transaction((records) =>
    noteTest(records, id, () => ({
      ...{ at: new Date().toISOString(), server_id: machine?.id ?? null, server_name: machine?.name ?? null },
      ...{ point_id: null, result: 'skipped' },
      reason: reasons[0] ?? problem('protection.tests_without_machine').message,
    })),
  )
}

/** The virtual machines whose boot volume has one of these recovery points. */
async function candidatesOf(
  { inventory }: Tools,
  scope: ProjectScope,
  points: readonly VolumeBackup[],
): Promise<Candidate[]> {
  const ids = new Set(points.flatMap(({ server_id }) => server_id ?? []))
  const machines = await inventory.several<Instance>(instanceKind, scope, [...ids])
  const flavorIds = new Set(machines.flatMap(({ flavor }) => flavor.id ?? []))
  const flavors = await inventory.several<Flavor>(flavorKind, scope, [...flavorIds])
  return machines.flatMap((machine): Candidate[] => {
    const disk = machine.volumes.find(({ boot_index }) => boot_index === 0)
    const point = points.find(({ volume_id }) => volume_id === disk?.id)
    const flavor = flavors.find(({ id }) => id === machine.flavor.id)
    if (!point || !flavor) return []
    return [{ machine, flavor, points: points.filter(({ instant_id }) => instant_id === point.instant_id) }]
  })
}

/** Why a virtual machine cannot be tested now; null if it can. Damage is for the test to find. */
async function whyNotNow({ ports }: Tools, scope: ProjectScope, { flavor, points }: Candidate): Promise<string | null> {
  const ids = points.map(({ id }) => id)
  const checks = await ports.storage.volumeBackups.checkRestore(scope, ids)
  const failed = checks.find(({ name, ok }) => ok === false && name !== 'chain')
  if (failed) return failed.reason ?? failed.name
  const quotas = await ports.compute.quotas(scope, scope.project_id)
  try {
    requireQuota('instances', quotas.instances, { amount: 1 })
    requireQuota('vcpus', quotas.vcpus, { amount: flavor.vcpus })
    requireQuota('ram', quotas.ram, { amount: flavor.ram })
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

async function begin(
  { inventory }: Tools,
  { id }: BackupPlan,
  { machine, flavor, points }: Candidate,
  candidates: readonly Candidate[],
): Promise<void> {
  const [point] = points
  const at = new Date().toISOString()
  await inventory.transaction(async (records) => {
    const plan = await noteTest(records, id, () => ({
      ...{ at, server_id: machine.id, server_name: machine.name, point_id: point!.id, result: 'running', reason: null },
    }))
    const kept = await records.getPrivate<PlanPrivate>(backupPlanKind.name, id)
    if (!plan || !kept) return
    // virtual machines that no longer exist are forgotten
    const before = candidates.flatMap((one) => {
      const time = kept.tested?.[one.machine.id]
      return time === undefined ? [] : [[one.machine.id, time] as const]
    })
    const tested = { ...Object.fromEntries(before), [machine.id]: at }
    await records.putPrivate(backupPlanKind.name, id, { ...kept, tested } satisfies PlanPrivate)
    await startTest(records, scopeOfPlan(plan), { point: point!, flavor: flavor.id, plan: id })
  })
}
