import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { kind } from '../core/kind'
import { Time } from '../core/names'

export const AuditResult = z.enum(['success', 'error', 'unknown'])

/** Who did what to what, when, from where, and what came of it. */
export const AuditLine = z.object({
  /** Counts up; a later line has a higher one, but for lines that were written at the same moment. */
  id: z.number().int(),
  /** Who; what was typed where nobody came in; null where that is not known. */
  username: z.string().nullable(),
  user_id: z.string().nullable(),
  /** Where: of the project that was acted in, or of the user. */
  domain_id: z.string().nullable(),
  project_id: z.string().nullable(),
  /** What it was about: the first word of the activity. */
  type: z.string(),
  /** What was done, by its name in the API: `server.start`, `session.login`. */
  activity: z.string(),
  timestamp: Time,
  finished_at: Time,
  object_id: z.string().nullable(),
  object_name: z.string().nullable(),
  /** `unknown`: it was begun, and nobody could say yet what came of it. */
  result: AuditResult,
  /** Of the answer; 0 while the result is unknown. */
  status: z.number().int(),
  error_code: z.string().nullable(),
  message: z.string().nullable(),
  /** From where: the address of the caller. */
  address: z.string(),
  method: z.string(),
  path: z.string(),
  request_id: z.string(),
  /** Of the sign-in; told to operators alone. Null where nobody was signed in, and in lines of older versions. */
  session_id: z.string().nullable(),
  /** Which fields the call has set; empty in lines of older versions. */
  changes: z.array(AuditChange),
})
export type AuditLine = z.infer<typeof AuditLine>

/** How lines are filtered and sorted. They are no rows of the index: the log has a table of its own. */
export const auditLineKind = kind({
  name: 'audit_line',
  entity: AuditLine,
  visibility: 'domain',
  filters: [
    'username',
    'user_id',
    'domain_id',
    'project_id',
    { name: 'type', type: 'id' },
    { name: 'activity', type: 'id' },
    'object_id',
    'object_name',
    'result',
    { name: 'address', type: 'id' },
    'request_id',
    { name: 'from', path: 'timestamp' },
    { name: 'to', path: 'timestamp' },
  ],
  sortKeys: ['timestamp', 'username', 'type', 'activity'],
  defaultSort: 'timestamp:desc',
  systemOnly: ['session_id'],
  search: ['username', 'activity', 'object_name', 'object_id', 'address', 'request_id', 'message'],
  permissions: { collection: 'audit_log', item: 'audit_log' },
})
export type AuditFilter = keyof typeof auditLineKind.filters
export type AuditSortKey = keyof typeof auditLineKind.sortKeys
