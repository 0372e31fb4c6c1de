import * as z from 'zod'
import { AuditChange } from '../core/audit-change'
import { kind } from '../core/kind'
import { Time } from '../core/names'

export const AuditResult = z.enum(['success', 'error', 'unknown'])

/** An audit log entry: who did what, when, from where, and with what result. */
export const AuditLine = z.object({
  /** Increasing, but entries written at the same time may be out of order. */
  id: z.number().int(),
  /** For failed sign-ins, the entered name; null if unknown. */
  username: z.string().nullable(),
  user_id: z.string().nullable(),
  /** Domain of the call's project or, without a project, of the user. */
  domain_id: z.string().nullable(),
  project_id: z.string().nullable(),
  /** Kind of the object; the first part of `activity`. */
  type: z.string(),
  /** Name of the call in the API: `server.start`, `session.login`. */
  activity: z.string(),
  timestamp: Time,
  finished_at: Time,
  object_id: z.string().nullable(),
  object_name: z.string().nullable(),
  /** `unknown`: the call was started, but its result is not known yet. */
  result: AuditResult,
  /** HTTP status; 0 while the result is unknown. */
  status: z.number().int(),
  error_code: z.string().nullable(),
  message: z.string().nullable(),
  /** IP address of the client. */
  address: z.string(),
  method: z.string(),
  path: z.string(),
  request_id: z.string(),
  /** The user's session; visible to operators only. Null without a session, and in entries from older versions. */
  session_id: z.string().nullable(),
  /** Fields set by the call; empty in entries from older versions. */
  changes: z.array(AuditChange),
})
export type AuditLine = z.infer<typeof AuditLine>

/** Filters and sort keys of audit log entries. The entries are not in the index; the log has its own table. */
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
