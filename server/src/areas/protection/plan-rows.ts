import {
  backupPlanKind,
  type BackupPlan,
  type BackupPlanRun,
  type BackupPlanStatus,
  type BackupPlanTest,
} from '@mainstay/contract/protection/backup-plans'
import { cronOf, nextRuns } from '@mainstay/contract/protection/schedules'
import { recycledItemKind, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import type { Transaction } from 'kysely'
import * as z from 'zod'
import { everyRow } from '../../http/rows/every-row'
import type { Schedule } from '../../scheduler/types'
import type { Database } from '../../store/schema'
import type { Tools } from '../../tools'

/** Items of a recycle bin that are looked at. */
const MOST_IN_BIN = 10_000

/** Arguments of the job that runs a plan. */
export const RunArgs = z.strictObject({
  plan: z.string(),
  /** False if a user started the run. */
  scheduled: z.boolean(),
})
export type RunArgs = z.infer<typeof RunArgs>

/** The runs of plans, each of which has its own times. */
export const planRuns = {
  name: 'backup_plan.run',
  job: { name: 'backup_plan.run', args: RunArgs },
} satisfies Schedule<RunArgs>

/** What is kept of a plan besides its row: its runs, newest first. */
export interface PlanPrivate {
  runs: BackupPlanRun[]
  /** Task of the run in progress. */
  task: string | null
  /** Task of the last complete run, which may run again if its server died before the task itself was complete. */
  ended?: string
  /** When the restore of virtual machines was last tested automatically, by their IDs. */
  tested?: Record<string, string>
}

export const planSubject = ({ id, name }: Pick<BackupPlan, 'id' | 'name'>) => ({ kind: backupPlanKind.name, id, name })

/** Scope for the work of a plan: that of a member of its project. */
export const scopeOfPlan = ({ id, user_id, domain_id, project_id }: BackupPlan): ProjectScope => ({
  ...{ kind: 'project', user_id, user_name: '', domain_id, project_id, roles: [] },
  request_id: `backup-plan-${id}`,
})

type Judged = Pick<BackupPlan, 'disabled' | 'volume_ids' | 'last_run' | 'test_restore' | 'last_test'>

export function statusOf(plan: Judged): BackupPlanStatus {
  const { disabled, volume_ids, last_run, test_restore, last_test } = plan
  if (last_run && last_run.ended_at === null) return 'Running'
  if (disabled) return 'Disabled'
  if (volume_ids.length === 0) return 'No volumes'
  const hasFailed = last_run && (last_run.error !== null || last_run.failures.length > 0)
  const hasFailedTest = test_restore !== 'never' && last_test?.result === 'failed'
  return hasFailed || hasFailedTest ? 'Error' : 'Scheduled'
}

/**
 * Notes an automatic test restore at its plan. `next` returns the test, from the last one, or null if nothing changes. Returns
 * the plan; null if it no longer exists.
 */
export async function noteTest(
  records: RecordsTransaction,
  id: string,
  next: (last: BackupPlanTest | null) => BackupPlanTest | null,
): Promise<BackupPlan | null> {
  const plan = await records.lock<BackupPlan>(backupPlanKind.name, id)
  if (!plan) return null
  const last_test = next(plan.last_test)
  if (last_test === null) return plan
  const changed = { ...plan, last_test, updated_at: new Date().toISOString() }
  const row: BackupPlan = { ...changed, status: statusOf(changed) }
  await records.put(backupPlanKind.name, row)
  return row
}

/** IDs of the volumes of a plan that no longer exist, not even in the recycle bin. */
export async function goneVolumes({ inventory }: Pick<Tools, 'inventory'>, plan: BackupPlan): Promise<Set<string>> {
  const scope = scopeOfPlan(plan)
  const found = await inventory.several<Volume>(volumeKind, scope, plan.volume_ids)
  if (found.length === plan.volume_ids.length) return new Set()
  const { rows, truncated } = await everyRow<RecycledItem>({ inventory }, recycledItemKind, scope, {
    most: MOST_IN_BIN,
  })
  if (truncated) return new Set()
  const known = new Set([
    ...found.map(({ id }) => id),
    ...rows.flatMap(({ id, volumes }) => [id, ...volumes.map((one) => one.id)]),
  ])
  return new Set(plan.volume_ids.filter((id) => !known.has(id)))
}

/** Writes a plan with everything that follows from its fields, and its times. */
export async function putPlan(
  { scheduler }: Pick<Tools, 'scheduler'>,
  records: RecordsTransaction,
  db: Transaction<Database>,
  plan: BackupPlan,
): Promise<BackupPlan> {
  const next = plan.disabled || plan.volume_ids.length === 0 ? undefined : nextRuns(plan.schedule, new Date(), 1)[0]
  const row: BackupPlan = {
    ...plan,
    ...{ status: statusOf(plan), volumes_count: plan.volume_ids.length, next_run: next?.toISOString() ?? null },
    updated_at: new Date().toISOString(),
  }
  await records.put(backupPlanKind.name, row)
  if (!next) await scheduler.remove(db, planRuns, plan.id)
  else {
    await scheduler.put(db, planRuns, {
      ...{
        id: plan.id,
        subject: planSubject(plan),
        args: { plan: plan.id, scheduled: true },
        scope: scopeOfPlan(plan),
      },
      ...{ cron: cronOf(plan.schedule), time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
    })
  }
  return row
}
