import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { someId } from '../core/example'
import { DEFAULT_ROTATION, PlanVolumes } from './backup-plans'
import { Rotation } from './schedules'

/** Volumes and the number of recovery points that a plan would keep of each. */
const EstimateDraft = PlanVolumes.extend({
  recovery_points_rotation: Rotation.default(DEFAULT_ROTATION),
}).meta({ examples: [{ ids: [someId('volume')] }] })

/**
 * The space that the recovery points of a plan will use, judged by the recovery points of its volumes so far. Sizes in
 * bytes. A volume is measured if a full recovery point and, unless only one is kept, an incremental one tell their size.
 */
export const BackupEstimate = z.object({
  volumes: z.number().int().describe('Number of volumes that exist.'),
  measured: z.number().int().describe('Number of volumes from whose recovery points the sizes are known.'),
  full_size: z.number().int().nullable().describe('One full recovery point of each measured volume. Null: not known.'),
  increment_size: z
    .number()
    .int()
    .nullable()
    .describe('One incremental recovery point of each measured volume, by the median of each volume. Null: not known.'),
  full_points: z.number().int().describe('Number of full recovery points among those that are kept of each volume.'),
  estimated_size: z
    .number()
    .int()
    .nullable()
    .describe('When all recovery points are there. Null: nothing is measured.'),
  stored_size: z.number().int().describe('Space that the recovery points of these volumes use now, as far as known.'),
})
export type BackupEstimate = z.infer<typeof BackupEstimate>

// not among the calls of backup plans, which the console loads with its first page
export const backupEstimates = endpoints({
  estimate: {
    verb: 'POST',
    path: '/api/v2/compute/backup_plans/estimate',
    needs: read('compute_backup_plans'),
    summary: 'Estimate the space that the recovery points of a backup plan will use',
    body: EstimateDraft,
    isAct: false,
    reply: BackupEstimate,
  },
})
