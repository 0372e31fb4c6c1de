import type { Scope } from '@mainstay/engines/ports/scope'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { limits } from '../limits'

/** What a call was done to. */
export interface AuditSubject {
  kind: string | null
  id: string | null
  name: string | null
}

/** Who acts, and how. */
export interface AuditCall {
  /** `server.start`, `session.login`: what the call is about, and its name in the contract. */
  action: string
  /** Null where nobody was signed in. */
  scope: Scope | null
  /** Name that somebody gave at a sign-in; else the scope's. */
  user_name?: string | null
  /** Who is meant by a step of a sign-in; else the scope's. */
  user_id?: string
  domain_id?: string
  request_id: string
  address: string
  /** Of the sign-in in which it is done. */
  session_id?: string | null
  method: string
  path: string
  started_at: Date
}

/** `unknown`: the act had begun, and nobody could say yet what came of it. */
export type AuditResult = 'success' | 'error' | 'unknown'

/** What came of an act. */
export interface AuditOutcome {
  subject: AuditSubject
  result: AuditResult
  /** Of the answer; 0 while it is unknown. */
  status: number
  error_code: string | null
  message: string | null
  /** While the outcome is unknown: when the line was written. */
  finished_at: Date
}

/** Which fields it sets, as far as it sets any. */
export interface AuditChanges {
  changes?: readonly AuditChange[] | null | undefined
}

/** One line of the audit log: who did what to what, when, from where, and what came of it. */
export type AuditEntry = AuditCall & AuditOutcome & AuditChanges

const sizes = limits.audit

/** A text of somebody's own, as it is kept: cut, and without what PostgreSQL does not take. */
const cut = <Text extends string | null | undefined>(text: Text, length: number) =>
  (text?.slice(0, length).replaceAll('\0', '\ufffd') ?? null) as Text extends string ? string : string | null

/** A line by the names of its columns. */
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
