import {
  backupPlanKind,
  PLAN_RUNS,
  type BackupPlan,
  type BackupPlanRun,
} from '@mainstay/contract/protection/backup-plans'
import { runsInWeek } from '@mainstay/contract/protection/schedules'
import { Problem } from '@mainstay/contract/core/problems'
import { MANUAL_PREFIX } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { RunAgain } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { job, schedule } from '../../module'
import type { RunOf } from '../../tasks/job'
import type { Tools } from '../../tools'
import { goneVolumes, planRuns, putPlan, scopeOfPlan, type PlanPrivate, type RunArgs } from './plan-rows'
import { testIfDue } from './plan-tests'
import { lookAgain } from './restore-steps'
import { expirePoints } from './rotation'

type Run = RunOf<RunArgs>

type Failure = BackupPlanRun['failures'][number]

/** Progress of a run, kept while it waits for its recovery points. */
const State = z.object({
  points: z.array(z.string()),
  failures: z.array(z.object({ volume_id: z.string(), volume_name: z.string(), reason: z.string() })),
})
type State = z.infer<typeof State>

/** Creates recovery points of all volumes of a plan, and removes those that the plan no longer keeps. */
export const runningPlan = job({
  ...planRuns.job,
  pool: 'bulk',
  async run(run, tools): Promise<unknown> {
    const plan = await beginRun(run, tools)
    if (!plan) return null
    const known = State.safeParse(run.state)
    const state = known.success ? known.data : await createPoints(run, plan, tools)
    const points = await tools.inventory.several<VolumeBackup>(volumeBackupKind, scopeOfPlan(plan), state.points)
    if (points.some(({ status }) => status === 'creating')) return { ...lookAgain(tools), state } satisfies RunAgain
    const failed = points.filter(({ status }) => status === 'error')
    const failures = [
      ...state.failures,
      ...failed.map(({ volume_id, volume_name, fault }) => ({ volume_id, volume_name, reason: fault ?? '' })),
    ]
    const created = points.length - failed.length
    if (points.length < state.points.length)
      tools.log.info(
        { plan: plan.id, found: points.length },
        'recovery points were deleted while their plan was running',
      )
    await expirePoints(tools, plan)
    // a test must not make a run fail
    if (run.args.scheduled && created > 0 && failures.length === 0)
      await testIfDue(tools, plan, points).catch((error: unknown) =>
        tools.log.error({ err: error, plan: plan.id }, 'failed to start the test restore of a backup plan'),
      )
    await endRun(run, tools, { created, failures, error: null })
    return { created, failed: failures.length }
  },
  async onFailure(run, error, tools) {
    const reason = error instanceof Problem ? error.message : 'An internal error occurred. See the server log'
    await endRun(run, tools, { created: 0, failures: [], error: run.signal.aborted ? 'The run was cancelled' : reason })
  },
})

/** Starts the runs of plans; see `Scheduler.put`. */
export const planSchedule = schedule({ ...planRuns, job: runningPlan })

/** Notes that the plan is running. Returns null if there is nothing to do. */
async function beginRun({ args: { plan: id, scheduled }, task_id }: Run, tools: Tools): Promise<BackupPlan | null> {
  const now = new Date()
  const seen = await tools.inventory.transaction((records) => records.get<BackupPlan>(backupPlanKind.name, id))
  const gone = seen ? await goneVolumes(tools, seen) : new Set<string>()
  return tools.inventory.transaction(async (records, db) => {
    const row = await records.lock<BackupPlan>(backupPlanKind.name, id)
    if (!row) return null
    const plan = { ...row, volume_ids: row.volume_ids.filter((volume) => !gone.has(volume)) }
    const kept = (await records.getPrivate<PlanPrivate>(backupPlanKind.name, id)) ?? { runs: [], task: null }
    if (kept.task === task_id) return plan
    if (kept.ended === task_id) return null
    // the weeks are not in the times of the scheduler; a missed run is made up for on another day
    const isMeant = !scheduled || (!plan.disabled && runsInWeek(plan.schedule, now))
    // the time of the next run is updated in any case
    if (!isMeant || plan.volume_ids.length === 0) {
      await putPlan(tools, records, db, plan)
      return null
    }
    await records.putPrivate(backupPlanKind.name, id, { ...kept, task: task_id } satisfies PlanPrivate)
    const last_run = {
      ...{ started_at: now.toISOString(), ended_at: null, scheduled, created: 0 },
      failures: [],
      error: null,
    }
    return putPlan(tools, records, db, { ...plan, last_run })
  })
}

async function endRun(
  { args: { plan: id }, task_id }: Run,
  tools: Tools,
  result: Pick<BackupPlanRun, 'created' | 'failures' | 'error'>,
): Promise<void> {
  await tools.inventory.transaction(async (records, db) => {
    const plan = await records.lock<BackupPlan>(backupPlanKind.name, id)
    const kept = await records.getPrivate<PlanPrivate>(backupPlanKind.name, id)
    if (!plan?.last_run || kept?.task !== task_id) return
    const last_run: BackupPlanRun = { ...plan.last_run, ...result, ended_at: new Date().toISOString() }
    const runs = [last_run, ...kept.runs].slice(0, PLAN_RUNS)
    await records.putPrivate(backupPlanKind.name, id, {
      ...kept,
      runs,
      task: null,
      ended: task_id,
    } satisfies PlanPrivate)
    await putPlan(tools, records, db, { ...plan, last_run })
  })
}

/** Name of the recovery points of a run. A run that starts twice finds its own by it. */
const nameOf = ({ name, last_run }: BackupPlan): string => {
  const time = last_run!.started_at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  const prefix = last_run!.scheduled ? '' : MANUAL_PREFIX
  return `${prefix}${name.slice(0, 200)}-${time}`
}

/** Starts to create the recovery points: those of one virtual machine at the same moment. */
async function createPoints(run: Run, plan: BackupPlan, tools: Tools): Promise<State> {
  const scope = scopeOfPlan(plan)
  const name = nameOf(plan)
  const volumes = await tools.inventory.several<Volume>(volumeKind, scope, plan.volume_ids)
  if (volumes.length < plan.volume_ids.length)
    tools.log.info({ plan: plan.id, found: volumes.length }, 'some volumes of a backup plan no longer exist')
  const query = { name: `exact:${name}`, backup_plan_id: plan.id, limit: 1000 }
  const earlier = await tools.inventory.list<VolumeBackup>(volumeBackupKind, scope, query)
  const isDone = (id: string) => earlier.data.some(({ volume_id }) => volume_id === id)
  const groups = new Map<string, Volume[]>()
  for (const volume of volumes.filter(({ id }) => !isDone(id))) {
    const key = volume.attachments[0]?.server_id ?? volume.id
    groups.set(key, [...(groups.get(key) ?? []), volume])
  }
  const state: State = { points: earlier.data.map(({ id }) => id), failures: [] }
  const create = async (group: readonly Volume[]): Promise<void> => {
    run.signal.throwIfAborted()
    const order = { name, description: '', full: false, plan: { id: plan.id, name: plan.name } }
    try {
      const points = await tools.ports.storage.volumeBackups.createInstant(scope, {
        ...{ ...order, volume_ids: group.map(({ id }) => id) },
      })
      state.points.push(...points.map(({ id }) => id))
    } catch (error) {
      // one volume that cannot be captured now must not leave the others of its machine without a recovery point
      if (group.length > 1) for (const volume of group) await create([volume])
      else state.failures.push(failureOf(group[0]!, error, tools))
    }
  }
  for (const group of groups.values()) await create(group)
  return state
}

function failureOf({ id, name }: Volume, error: unknown, { log }: Tools): Failure {
  if (!(error instanceof Problem)) log.error({ err: error, volume: id }, 'failed to create a recovery point')
  const reason = error instanceof Problem ? error.message : 'An internal error occurred. See the server log'
  return { volume_id: id, volume_name: name, reason }
}
