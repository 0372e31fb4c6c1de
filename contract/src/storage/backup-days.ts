import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { daysFrom, isZone } from './local-days'
import { Time } from '../core/names'
import { says } from '../core/said'

/** Maximum number of days of one call. */
export const MAX_POINT_DAYS = 62

const Day = z.iso.date().describe('A day, such as 2026-11-20.')

const Period = z.strictObject({
  from: Day,
  to: Day.describe(`The last day. At most ${MAX_POINT_DAYS} days are returned.`),
  zone: z
    .string()
    .max(64)
    .default('UTC')
    .refine(isZone, says('storage.time_zone'))
    .describe('Time zone of the days, by its name in the IANA database, such as Europe/Berlin.'),
})

/** Reports a period that has no days, or too many. */
function checkPeriod({ from, to }: z.output<typeof Period>, context: z.RefinementCtx): void {
  const days = daysFrom(from, to) + 1
  if (days < 1 || days > MAX_POINT_DAYS)
    context.addIssue({ code: 'custom', path: ['to'], message: says('storage.days', { most: MAX_POINT_DAYS }) })
}

/** Filters of the list of recovery points by which they can be counted as well. */
export const pointFilters = [
  ...(['name', 'status', 'volume_id', 'volume_name', 'server_id', 'server_name'] as const),
  ...(['backup_plan_id', 'backup_plan_name', 'is_incremental', 'project_id'] as const),
] as const

const Filter = z.string().optional().describe('In the syntax of the list of recovery points.')
const filters = Object.fromEntries(pointFilters.map((name) => [name, Filter])) as Record<
  (typeof pointFilters)[number],
  typeof Filter
>
const Search = z.string().max(255).optional()

export const PointDaysQuery = Period.extend({
  ...filters,
  search: Search.describe('Text to find in the searchable fields of recovery points.'),
  by: z.enum(['plan']).optional().describe('`plan`: counts the recovery points of each backup plan separately.'),
}).superRefine(checkPeriod)
export type PointDaysQuery = z.output<typeof PointDaysQuery>

/** How many recovery points there are. Those that are neither are being created or deleted. */
const Counts = z.object({
  day: z.string(),
  points: z.number().int(),
  restorable: z.number().int().describe('Recovery points whose content is stored, and of which no damage is known.'),
  failed: z.number().int().describe('Recovery points that could not be created.'),
  damaged: z.number().int(),
})

/** The recovery points of a day, or those of one backup plan on a day. */
export const PointDay = Counts.extend({
  stored_size: z.number().describe('Space that the recovery points use, in bytes, as far as known.'),
  first_at: Time,
  last_at: Time,
  backup_plan_id: z.string().nullable().describe('Null: created without a plan, or counted for all plans.'),
  backup_plan_name: z.string().nullable(),
})
export type PointDay = z.infer<typeof PointDay>

export const PointDays = z.object({
  zone: z.string(),
  days: z.array(PointDay).describe('Days with recovery points, at most 1000 entries.'),
})

/** Virtual machines that are looked at; their number is limited so that they can be sorted by what happened to them. */
export const MOST_PROTECTED_MACHINES = 1000

export const MachineDaysQuery = Period.extend({
  ...filters,
  search: Search.describe('Text to find in the searchable fields of virtual machines.'),
  sort: z
    .enum(['trouble', 'name'])
    .default('trouble')
    .describe('`trouble`: virtual machines that need attention come first.'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(MOST_PROTECTED_MACHINES).default(0),
}).superRefine(checkPeriod)
export type MachineDaysQuery = z.output<typeof MachineDaysQuery>

/**
 * The recovery points of a virtual machine on a day. `whole`: all volumes that it has now, and that existed on that day,
 * can be restored to the same moment; `part`: not all of them; `damaged`: a stored file is damaged; `failed`: none
 * could be created.
 */
export const MachineDay = Counts.extend({
  state: z.enum(['whole', 'part', 'failed', 'damaged']),
  point_id: z.string().describe('A recovery point of this day: a damaged or failed one, if there is one.'),
})
export type MachineDay = z.infer<typeof MachineDay>

export const MachineDays = z.object({
  id: z.string(),
  name: z.string(),
  volumes_count: z.number().int(),
  last_whole_at: Time.nullable().describe('When all volumes were last captured at the same moment. Null: never.'),
  days: z.array(MachineDay).describe('Days with recovery points.'),
})
export type MachineDays = z.infer<typeof MachineDays>

export const MachineDaysPage = z.object({
  zone: z.string(),
  data: z.array(MachineDays),
  total: z.number().int().describe('Number of matching virtual machines with volumes.'),
  truncated: z
    .boolean()
    .describe(
      `Whether there are more than ${MOST_PROTECTED_MACHINES} virtual machines, of which the others are not looked at.`,
    ),
})

const path = '/api/v2/compute/volume_backups'
// not among the calls of recovery points, which the console loads with its first page
export const backupDays = endpoints({
  days: {
    verb: 'GET',
    path: `${path}/days`,
    needs: read('compute_volume_backups'),
    summary: 'Count the recovery points of each day',
    query: PointDaysQuery,
    reply: PointDays,
  },
  machineDays: {
    verb: 'GET',
    path: `${path}/machine_days`,
    needs: read('compute_volume_backups'),
    summary:
      'Show for each virtual machine on which days it was captured completely. Filters choose the virtual machines ' +
      'that have a matching recovery point, except `project_id`, which is the project of the virtual machine. All ' +
      'recovery points of these virtual machines are counted.',
    query: MachineDaysQuery,
    reply: MachineDaysPage,
  },
})
