import * as z from 'zod'
import { daysFrom, isZone } from '../core/local-days'
import { Time } from '../core/names'
import { says } from '../core/said'

/** Maximum number of days of one call. */
export const MAX_POINT_DAYS = 62

const Day = z.iso.date().describe('A day, such as 2026-11-20.')

const period = {
  from: Day,
  to: Day.describe(`The last day. At most ${MAX_POINT_DAYS} days are returned.`),
  zone: z
    .string()
    .max(64)
    .default('UTC')
    .refine(isZone, says('storage.time_zone'))
    .describe('Time zone of the days, by its name in the IANA database, such as Europe/Berlin.'),
}
interface Period {
  from: string
  to: string
}
const isPeriod = ({ from, to }: Period) => daysFrom(from, to) >= 0 && daysFrom(from, to) < MAX_POINT_DAYS
const periodSays = { message: says('storage.days', { most: MAX_POINT_DAYS }), path: ['to'] }

export const PointDaysQuery = z
  .strictObject({
    ...period,
    by: z.enum(['plan']).optional().describe('`plan`: counts the recovery points of each backup plan separately.'),
  })
  .refine(isPeriod, periodSays)
export type PointDaysQuery = z.output<typeof PointDaysQuery>

/** How many recovery points there are. Those that are neither are being created or deleted. */
const counts = {
  points: z.number().int(),
  restorable: z.number().int().describe('Recovery points whose content is stored, and of which no damage is known.'),
  failed: z.number().int().describe('Recovery points that could not be created.'),
  damaged: z.number().int(),
}

/** The recovery points of a day, or those of one backup plan on a day. */
export const PointDay = z.object({
  day: z.string(),
  ...counts,
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

export const MachineDaysQuery = z
  .strictObject({
    ...period,
    search: z.string().max(255).optional(),
    sort: z
      .enum(['trouble', 'name'])
      .default('trouble')
      .describe('`trouble`: virtual machines that need attention come first.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).max(MOST_PROTECTED_MACHINES).default(0),
  })
  .refine(isPeriod, periodSays)
export type MachineDaysQuery = z.output<typeof MachineDaysQuery>

/**
 * The recovery points of a virtual machine on a day. `whole`: all volumes that it has now, and that existed on that day,
 * can be restored to the same moment; `part`: not all of them; `damaged`: a stored file is damaged; `failed`: none
 * could be created.
 */
export const MachineDay = z.object({
  day: z.string(),
  state: z.enum(['whole', 'part', 'failed', 'damaged']),
  ...counts,
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
