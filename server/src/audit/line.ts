import type { Scope } from '@mainstay/engines/ports/scope'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { limits } from '../limits'

/** The object of a call. */
export interface AuditSubject {
  kind: string | null
  id: string | null
  name: string | null
}

/** A call and the user who made it. */
export interface AuditCall {
  /** Resource kind and call name from the contract, such as `server.start` or `session.login`. */
  action: string
  /** Scope of the caller; null if no user is signed in. */
  scope: Scope | null
  /** Username entered at sign-in; otherwise taken from the scope. */
  user_name?: string | null
  /** The user in a sign-in step; otherwise taken from the scope. */
  user_id?: string
  domain_id?: string
  request_id: string
  address: string
  /** The session in which the call was made. */
  session_id?: string | null
  method: string
  path: string
  started_at: Date
}

/** `unknown`: the action has begun, and its outcome is not known yet. */
export type AuditResult = 'success' | 'error' | 'unknown'

/** Outcome of an action. */
export interface AuditOutcome {
  subject: AuditSubject
  result: AuditResult
  /** HTTP status; 0 while the outcome is unknown. */
  status: number
  error_code: string | null
  message: string | null
  /** While the outcome is unknown, the time at which the entry was written. */
  finished_at: Date
}

/** The fields that an action sets, if any. */
export interface AuditChanges {
  changes?: readonly AuditChange[] | null | undefined
}

/** An audit log entry: actor, action, object, time, address and outcome. */
export type AuditEntry = AuditCall & AuditOutcome & AuditChanges

const sizes = limits.audit

/** Truncates user-supplied text and replaces NUL, which PostgreSQL cannot store. */
const cut = <Text extends string | null | undefined>(text: Text, length: number) =>
  (text?.slice(0, length).replaceAll('\0', '\ufffd') ?? null) as Text extends string ? string : string | null

/** Converts an entry to database columns. */
export const columnsOf = ({ subject, scope, ...entry }: AuditEntry) => ({
  action: entry.action,
  subject_kind: subject.kind,
  subject_id: cut(subject.id, sizes.name),
  subject_name: cut(subject.name, sizes.name),
  user_id: entry.user_id ?? scope?.user_id ?? null,
  user_name: cut(entry.user_name ?? scope?.user_name, sizes.name),
  domain_id: entry.domain_id ?? scope?.domain_id ?? null,
  project_id: scope?.project_id ?? null,
  scope_kind: scope?.kind ?? null,
  request_id: entry.request_id,
  session_id: entry.session_id ?? null,
  changes: entry.changes && entry.changes.length > 0 ? JSON.stringify(entry.changes) : null,
  address: entry.address,
  method: entry.method,
  path: cut(entry.path, sizes.path),
  status: entry.status,
  result: entry.result,
  error_code: entry.error_code,
  message: cut(entry.message, sizes.message),
  started_at: entry.started_at,
  finished_at: entry.finished_at,
})
