import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { MAX_ROTATION, MIN_ROTATION, nextRuns, Rotation, scheduleShape } from './schedules'
import { says } from '../core/said'
import { MANUAL_PREFIX } from '../storage/backup-rules'
import { RestoreTest } from '../storage/volume-backups'

/** Maximum number of volumes in a plan. */
export const MAX_PLAN_VOLUMES = 100
/** Number of runs that are kept for each plan. */
export const PLAN_RUNS = 30

/** `Scheduled`: the plan waits for its next run. `Error`: its last run failed, wholly or for some volumes, or its last automatic test restore did. */
export const BackupPlanStatus = z.enum(['Scheduled', 'Running', 'Disabled', 'Error', 'No volumes'])
export type BackupPlanStatus = z.infer<typeof BackupPlanStatus>

const ScheduleAsShown = z.object({
  month: z.string(),
  day_of_week: z.string(),
  day: z.string(),
  hour: z.string(),
  minute: z.string(),
  week: z.string(),
  recovery_points_rotation: z.number().int(),
})

/** A volume whose recovery point could not be created in a run. */
const RunFailure = z.object({ volume_id: z.string(), volume_name: z.string(), reason: z.string() })

/** A run of a plan. */
export const BackupPlanRun = z.object({
  started_at: Time,
  /** Null while the run is in progress. */
  ended_at: Time.nullable(),
  scheduled: z.boolean().describe('False if a user started the run.'),
  /** Number of recovery points that were created. */
  created: z.number().int(),
  failures: z.array(RunFailure),
  /** Why the whole run failed; null if it did not. */
  error: z.string().nullable(),
})
export type BackupPlanRun = z.infer<typeof BackupPlanRun>

/** Whether the restore of a plan's virtual machines is tested automatically, one of them each time. */
export const TestRestoreRule = z.enum(['never', 'weekly'])
export type TestRestoreRule = z.infer<typeof TestRestoreRule>

/** An automatic test restore. `skipped`: it could not be tested, which says nothing about its recovery points. */
export const BackupPlanTest = z.object({
  at: Time,
  /** The virtual machine. Null: the plan has none that can be tested. */
  server_id: z.string().nullable(),
  server_name: z.string().nullable(),
  /** One of its recovery points. Null: none was tested. */
  point_id: z.string().nullable(),
  result: z.enum(['running', ...RestoreTest.shape.result.options, 'skipped']),
  reason: z.string().nullable().describe('Why the test failed or was skipped. Null: it did not and was not.'),
})
export type BackupPlanTest = z.infer<typeof BackupPlanTest>

/** A plan that creates recovery points of volumes on a schedule. */
export const BackupPlan = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: BackupPlanStatus,
  disabled: z.boolean(),
  schedule: ScheduleAsShown,
  properties: z.object({
    recovery_points_rotation: z.number().int().describe('Number of scheduled recovery points kept of each volume.'),
  }),
  /** IDs of the volumes that the plan protects. */
  volume_ids: z.array(z.string()),
  volumes_count: z.number().int(),
  next_run: Time.nullable(),
  last_run: BackupPlanRun.nullable(),
  test_restore: TestRestoreRule.describe(
    '`weekly`: once a week, after a scheduled run without failures, the restore of one virtual machine is tested.',
  ),
  last_test: BackupPlanTest.nullable().describe('The last automatic test restore. Null: there was none.'),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type BackupPlan = z.infer<typeof BackupPlan>

/** `recovery_points_rotation` is accepted here and in `properties`. */
const Schedule = z
  .strictObject({ ...scheduleShape, recovery_points_rotation: Rotation.optional() })
  .refine((schedule) => nextRuns(schedule, new Date(), 1).length > 0, says('protection.schedule_never'))

const Properties = z.strictObject({ recovery_points_rotation: Rotation.optional() })

export const DEFAULT_ROTATION = 7

/**
 * A plan's name is the beginning of the names of its recovery points. It must not start with the prefix of recovery
 * points that the rotation ignores.
 */
const PlanName = ResourceName.refine(
  (name) => !name.startsWith(MANUAL_PREFIX),
  says('protection.name_is_manual', { prefix: MANUAL_PREFIX }),
)

export const BackupPlanDraft = z
  .strictObject({
    name: PlanName,
    description: Description.default(''),
    schedule: Schedule,
    properties: Properties.optional().describe(
      `How many scheduled recovery points of each volume are kept, ${MIN_ROTATION} to ${MAX_ROTATION}. Default: ${DEFAULT_ROTATION}.`,
    ),
    disabled: z.boolean().default(false),
    test_restore: TestRestoreRule.default('never'),
  })
  .meta({ examples: [{ name: 'nightly', schedule: { hour: '2' }, properties: { recovery_points_rotation: 7 } }] })
export type BackupPlanDraft = z.infer<typeof BackupPlanDraft>

export const BackupPlanChange = z
  .strictObject({
    name: PlanName,
    description: Description,
    schedule: Schedule,
    properties: Properties,
    disabled: z.boolean(),
    test_restore: TestRestoreRule,
  })
  .partial()
  .meta({ examples: [{ disabled: true }] })
export type BackupPlanChange = z.infer<typeof BackupPlanChange>

/** Volumes of a plan. */
export const PlanVolumes = z.strictObject({
  ids: z
    .array(Id)
    .min(1, says('protection.name_volumes'))
    .max(MAX_PLAN_VOLUMES, says('protection.too_many_volumes', { most: MAX_PLAN_VOLUMES })),
})
/** Volumes to add. */
const AddedVolumes = PlanVolumes.extend({
  move: z
    .boolean()
    .default(false)
    .describe('Whether volumes are moved here from other plans. Otherwise they are refused.'),
}).meta({ examples: [{ ids: [someId('volume')] }] })

/** A volume without a plan. */
const UnprotectedVolume = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().int(),
  server_id: z.string().nullable(),
  server_name: z.string().nullable(),
  created_at: Time,
})

/** How many volumes of a project have a plan. */
export const BackupCoverage = z.object({
  volumes: z.object({ total: z.number().int(), protected: z.number().int() }),
  /** At most 100, the newest first. */
  unprotected: z.array(UnprotectedVolume),
})
export type BackupCoverage = z.infer<typeof BackupCoverage>

export const backupPlanKind = kind({
  name: 'backup_plan',
  entity: BackupPlan,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    'disabled',
    { name: 'volume_id', path: 'volume_ids', type: 'tags' },
    'created_at',
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'id', 'status', 'volumes_count', 'next_run', 'created_at'],
  permissions: { collection: 'compute_backup_plans', item: 'compute_backup_plan' },
})

const path = '/api/v2/compute/backup_plans'
export const backupPlans = endpoints({
  ...crud(backupPlanKind, {
    path,
    called: ['a backup plan', 'backup plans'],
    draft: BackupPlanDraft,
    change: BackupPlanChange,
    delete: true,
    summaries: { delete: 'Delete a backup plan. Its recovery points are kept.' },
  }),
  coverage: {
    verb: 'GET',
    path: `${path}/coverage`,
    needs: read('compute_backup_plans'),
    summary: 'Count the volumes with and without a backup plan, and list those without one',
    reply: BackupCoverage,
  },
  addVolumes: {
    verb: 'POST',
    path: `${path}/:id/volumes`,
    needs: update('compute_backup_plan'),
    summary: 'Add volumes to a backup plan. All of them are added, or none.',
    body: AddedVolumes,
    reply: BackupPlan,
  },
  removeVolumes: {
    verb: 'DELETE',
    path: `${path}/:id/volumes`,
    needs: update('compute_backup_plan'),
    summary: 'Remove volumes from a backup plan. Their recovery points are kept.',
    body: PlanVolumes.meta({ examples: [{ ids: [someId('volume')] }] }),
    reply: BackupPlan,
  },
  run: {
    verb: 'POST',
    path: `${path}/:id/run`,
    needs: update('compute_backup_plan'),
    summary: 'Run a backup plan now. Recovery points that it creates are not removed by the plan.',
    status: 202,
    reply: BackupPlan,
  },
  runs: {
    verb: 'GET',
    path: `${path}/:id/runs`,
    needs: read('compute_backup_plan'),
    summary: `List the last ${PLAN_RUNS} runs of a backup plan, newest first`,
    reply: z.array(BackupPlanRun),
  },
})
