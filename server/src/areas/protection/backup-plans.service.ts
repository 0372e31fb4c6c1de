import { randomUUID } from 'node:crypto'
import {
  backupPlanKind,
  DEFAULT_ROTATION,
  MAX_PLAN_VOLUMES,
  type BackupPlan,
  type BackupPlanChange,
  type BackupPlanDraft,
  type BackupPlanRun,
} from '@mainstay/contract/protection/backup-plans'
import { fieldProblem, notFound, problem } from '@mainstay/contract/core/problems'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'
import { hasJobs } from '../../inventory/jobs'
import { enqueue } from '../../tasks/job'
import type { Tools } from '../../tools'
import { planRuns, planSubject, putPlan, scopeOfPlan, type PlanPrivate } from './plan-rows'

/** Serializes changes to the plans of a project, so that names are unique and each volume has one plan. */
const lockPlans = (records: RecordsTransaction, projectId: string) => records.exclusive(`backup plans:${projectId}`)

const plansOf = (records: RecordsTransaction, projectId: string): Promise<BackupPlan[]> =>
  records.find<BackupPlan>(backupPlanKind.name, { project_id: projectId })

/** Locks a plan that the scope can see. Throws `not_found`. */
export async function lockPlan(
  { inventory }: Pick<Tools, 'inventory'>,
  records: RecordsTransaction,
  scope: Scope,
  id: string,
): Promise<BackupPlan> {
  const { project_id } = await inventory.view<BackupPlan>(backupPlanKind, scope, id)
  await lockPlans(records, project_id)
  const row = await records.lock<BackupPlan>(backupPlanKind.name, id)
  if (!row) throw notFound()
  return row
}

async function checkName(records: RecordsTransaction, plan: Pick<BackupPlan, 'id' | 'name' | 'project_id'>) {
  const others = await plansOf(records, plan.project_id)
  if (others.some(({ id, name }) => id !== plan.id && name === plan.name))
    throw fieldProblem('name', 'protection.plan_name_duplicate', { name: plan.name })
}

/** Refuses automatic test restores where whole virtual machines cannot be restored. */
function requireTests({ capabilities }: Tools, { test_restore: rule }: Pick<BackupPlanChange, 'test_restore'>): void {
  if (rule === 'weekly' && !capabilities.compute.machine_restore)
    throw fieldProblem('test_restore', 'protection.tests_elsewhere')
}

export const createPlan = (tools: Tools, scope: ProjectScope, draft: BackupPlanDraft): Promise<BackupPlan> =>
  tools.inventory.transaction(async (records, db) => {
    requireTests(tools, draft)
    await lockPlans(records, scope.project_id)
    const { recovery_points_rotation: inSchedule, ...times } = draft.schedule
    const rotation = draft.properties?.recovery_points_rotation ?? inSchedule ?? DEFAULT_ROTATION
    const created = new Date().toISOString()
    const plan: BackupPlan = {
      ...{ id: randomUUID(), name: draft.name, description: draft.description, status: 'No volumes' },
      ...{ disabled: draft.disabled, schedule: { ...times, recovery_points_rotation: rotation } },
      ...{ properties: { recovery_points_rotation: rotation }, volume_ids: [], volumes_count: 0 },
      ...{ next_run: null, last_run: null, test_restore: draft.test_restore, last_test: null },
      ...{ project_id: scope.project_id, domain_id: scope.domain_id, user_id: scope.user_id },
      ...{ created_at: created, updated_at: created },
    }
    await checkName(records, plan)
    return putPlan(tools, records, db, plan)
  })

export const updatePlan = (tools: Tools, scope: Scope, id: string, change: BackupPlanChange): Promise<BackupPlan> =>
  tools.inventory.transaction(async (records, db) => {
    requireTests(tools, change)
    const plan = await lockPlan(tools, records, scope, id)
    const rotation =
      change.properties?.recovery_points_rotation ??
      change.schedule?.recovery_points_rotation ??
      plan.properties.recovery_points_rotation
    const { recovery_points_rotation: _, ...times } = change.schedule ?? plan.schedule
    const changed: BackupPlan = {
      ...plan,
      ...{ name: change.name ?? plan.name, description: change.description ?? plan.description },
      ...{ disabled: change.disabled ?? plan.disabled, properties: { recovery_points_rotation: rotation } },
      schedule: { ...times, recovery_points_rotation: rotation },
      test_restore: change.test_restore ?? plan.test_restore,
    }
    await checkName(records, changed)
    return putPlan(tools, records, db, changed)
  })

export const deletePlan = (tools: Tools, scope: Scope, id: string): Promise<void> =>
  tools.inventory.transaction(async (records, db) => {
    await lockPlan(tools, records, scope, id)
    await tools.scheduler.remove(db, planRuns, id)
    await records.remove(backupPlanKind.name, id)
    await records.removePrivate(backupPlanKind.name, id)
  })

/** Adds volumes of the plan's project. Volumes of other plans are refused, or moved with `move`. */
export const addVolumes = (
  tools: Tools,
  scope: Scope,
  id: string,
  { ids, move }: { ids: string[]; move: boolean },
): Promise<BackupPlan> =>
  tools.inventory.transaction(async (records, db) => {
    const plan = await lockPlan(tools, records, scope, id)
    const volumes = await volumesOf(tools, plan, ids)
    const all = [...new Set([...plan.volume_ids, ...ids])]
    if (all.length > MAX_PLAN_VOLUMES)
      throw fieldProblem('ids', 'protection.too_many_volumes', { most: MAX_PLAN_VOLUMES })
    for (const other of await plansOf(records, plan.project_id)) {
      const shared = other.id === id ? undefined : other.volume_ids.find((volume) => ids.includes(volume))
      if (shared === undefined) continue
      if (!move) {
        const volume = volumes.find((row) => row.id === shared)?.name ?? shared
        throw fieldProblem('ids', 'protection.volume_in_plan', { volume, plan: other.name })
      }
      const kept = other.volume_ids.filter((volume) => !ids.includes(volume))
      await putPlan(tools, records, db, { ...other, volume_ids: kept })
    }
    return putPlan(tools, records, db, { ...plan, volume_ids: all })
  })

async function volumesOf({ inventory }: Tools, plan: BackupPlan, ids: readonly string[]): Promise<Volume[]> {
  const found = await inventory.several<Volume>(volumeKind, scopeOfPlan(plan), [...new Set(ids)])
  const missing = ids.find((id) => !found.some((row) => row.id === id))
  if (missing !== undefined) throw fieldProblem('ids', 'protection.no_such_volume', { id: missing })
  return found
}

/**
 * Replaces volumes in the plans of a project, because others have taken their place. `newIds`: the new volumes by the ID of
 * the previous ones. Repeatable.
 */
export const replaceVolumes = (
  tools: Pick<Tools, 'inventory' | 'scheduler'>,
  projectId: string,
  newIds: ReadonlyMap<string, string>,
): Promise<void> =>
  tools.inventory.transaction(async (records, db) => {
    await lockPlans(records, projectId)
    for (const plan of await plansOf(records, projectId)) {
      if (!plan.volume_ids.some((id) => newIds.has(id))) continue
      const volume_ids = [...new Set(plan.volume_ids.map((id) => newIds.get(id) ?? id))]
      await putPlan(tools, records, db, { ...plan, volume_ids })
    }
  })

/** Removes volumes. Those that are not in the plan are ignored. */
export const removeVolumes = (tools: Tools, scope: Scope, id: string, ids: readonly string[]): Promise<BackupPlan> =>
  tools.inventory.transaction(async (records, db) => {
    const plan = await lockPlan(tools, records, scope, id)
    const volume_ids = plan.volume_ids.filter((one) => !ids.includes(one))
    return volume_ids.length === plan.volume_ids.length ? plan : putPlan(tools, records, db, { ...plan, volume_ids })
  })

/** Starts a run now. Throws `conflict` if the plan is already running. */
export const runPlanNow = (tools: Tools, scope: Scope, id: string): Promise<BackupPlan> =>
  tools.inventory.transaction(async (records, db) => {
    const plan = await lockPlan(tools, records, scope, id)
    if (plan.volume_ids.length === 0) throw problem('protection.without_volumes')
    if (await hasJobs(db, planSubject(plan))) throw problem('protection.plan_running')
    const about = { subject: planSubject(plan), scope: { ...scopeOfPlan(plan), user_id: scope.user_id } }
    await enqueue(records, planRuns.job, { ...about, args: { plan: id, scheduled: false } })
    return plan
  })

/** The runs that are kept, newest first. */
export const runsOf = async ({ inventory }: Tools, scope: Scope, id: string): Promise<BackupPlanRun[]> => {
  const plan = await inventory.view<BackupPlan>(backupPlanKind, scope, id)
  const kept = await inventory.transaction((records) => records.getPrivate<PlanPrivate>(backupPlanKind.name, id))
  const runs = kept?.runs ?? []
  const running = plan.last_run?.ended_at === null ? plan.last_run : null
  // it may have ended since the plan was read
  return running && runs[0]?.started_at !== running.started_at ? [running, ...runs] : runs
}
