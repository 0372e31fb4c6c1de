import { ignored, inside, nullsIgnored, numbers, values, type CallTolerances } from '../core/tolerance'
import { backupPlans } from './backup-plans'
import { scheduleFields } from './schedules'

/** Accepts a number or an array for a list such as `1,15`. */
const listText = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : Array.isArray(value) && value.length <= 60 ? value.join(',') : value

const body = [
  nullsIgnored('description', 'disabled', 'schedule', 'properties'),
  inside(
    'schedule',
    ignored(['interval']),
    nullsIgnored(...scheduleFields, 'recovery_points_rotation'),
    values(scheduleFields, listText),
    numbers('recovery_points_rotation'),
  ),
  inside('properties', nullsIgnored('recovery_points_rotation'), numbers('recovery_points_rotation')),
]

export const protectionTolerances: CallTolerances = [
  [backupPlans.create, { body }],
  [backupPlans.update, { body }],
]
