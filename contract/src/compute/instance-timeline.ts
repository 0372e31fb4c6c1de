import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { Time } from '../core/names'
import { AlertSeverity } from '../monitoring/alert-rules'

export const TimelineQuery = z.strictObject({
  before: z.string().max(512).optional().describe('The marker in `pages` of the answer before'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('The most entries of one answer'),
})
export type TimelineQuery = z.infer<typeof TimelineQuery>

/** One thing that happened to an instance. */
export const TimelineEntry = z.object({
  id: z.string(),
  /** `call`: somebody made a call. `task`: work without a call about this instance alone. `alert`: a rule raised it. */
  source: z.enum(['call', 'task', 'alert']),
  /** The name of the call (`start`) or of the task (`compute.server.start`), or the type of the alert. */
  name: z.string(),
  at: Time,
  finished_at: Time.nullable(),
  /** `running`: the work goes on, or the alert stands. */
  result: z.enum(['success', 'error', 'running']),
  /** Why it failed, or what is known of the cause of an alert. */
  message: z.string().nullable(),
  /** Of an alert. */
  severity: AlertSeverity.nullable(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable(),
  /** From where the call came; only who may read its line of the audit log is told. */
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  /** What was set; only operators are told what operators set. */
  changes: z.array(AuditChange),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const TimelinePage = z.object({
  /** Newest first. It may have fewer entries than asked for although earlier ones follow. */
  data: z.array(TimelineEntry),
  pages: z.array(z.object({ rel: z.literal('next'), marker: z.string() })),
})
export type TimelinePage = z.infer<typeof TimelinePage>
