import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { Time } from '../core/names'
import { AlertSeverity } from '../monitoring/alert-rules'

export const TimelineQuery = z.strictObject({
  before: z.string().max(512).optional().describe('Marker from `pages` in the previous response.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of entries.'),
})
export type TimelineQuery = z.infer<typeof TimelineQuery>

/** An entry in the history of an instance. */
export const TimelineEntry = z.object({
  id: z.string(),
  /**
   * `call`: an API call. `task`: a task for this instance only that was not started by a call. `alert`: an alert about
   * the instance.
   */
  source: z.enum(['call', 'task', 'alert']),
  /** Name of the call (`start`) or of the task (`compute.server.start`), or the alert type. */
  name: z.string(),
  at: Time,
  finished_at: Time.nullable(),
  /** `running`: the work is still in progress, or the alert is still open. */
  result: z.enum(['success', 'error', 'running']),
  /** Error message, or the cause of the alert if known. */
  message: z.string().nullable(),
  /** Only for alerts. */
  severity: AlertSeverity.nullable(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable(),
  /** Source address of the call; only for callers who may read the audit log entry. */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  /** Changed fields. Changes by operators are visible to operators only. */
  changes: z.array(AuditChange),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const TimelinePage = z.object({
  /** Newest first. A page may contain fewer entries than requested even if more pages follow. */
  data: z.array(TimelineEntry),
  pages: z.array(z.object({ rel: z.literal('next'), marker: z.string() })),
})
export type TimelinePage = z.infer<typeof TimelinePage>
