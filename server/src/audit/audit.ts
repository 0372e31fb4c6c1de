import type { InstanceEvent } from '@mainstay/contract/compute/instances'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { limits } from '../limits'
import { createRates } from '../http/rates'

/** What a call was done to. */
export interface AuditSubject {
  kind: string | null
  id: string | null
  name: string | null
}

/** One line of the audit log: who did what to what, when, from where, and what came of it. */
export interface AuditEntry {
  /** `server.start`, `session.login`: what the call is about, and its name in the contract. */
  action: string
  subject: AuditSubject
  /** Null where nobody was signed in. */
  scope: Scope | null
  /** Name that somebody gave at a sign-in; else the scope's. */
  user_name?: string | null
  request_id: string
  address: string
  method: string
  path: string
  status: number
  error_code: string | null
  message: string | null
  started_at: Date
  finished_at: Date
}

export interface Audit {
  /** Adds a line. A failure is logged and not thrown: what was done is done. */
  write(entry: AuditEntry): Promise<void>
  /** What was done to a thing, newest first, from `before` (an id of the answer before) on. */
  of(subject: { kind: string; id: string }, limit: number, before: string | null): Promise<AuditRow[]>
  count(subject: { kind: string; id: string }): Promise<number>
  /** Removes lines that are older than this, in short statements. Answers how many. */
  prune(olderThanDays: number): Promise<number>
}

export interface AuditRow {
  id: string
  action: string
  user_id: string | null
  user_name: string | null
  project_id: string | null
  request_id: string
  result: 'success' | 'error'
  message: string | null
  started_at: Date
  finished_at: Date
}

const sizes = limits.audit

/** A text of somebody's own, as it is kept: cut, and without what PostgreSQL does not take. */
const cut = <Text extends string | null | undefined>(text: Text, length: number) =>
  (text?.slice(0, length).replaceAll('\0', '\ufffd') ?? null) as Text extends string ? string : string | null

export function createAudit(sql: Sql, log: Log): Audit {
  const ofAddress = createRates(sizes.anonymousOfAddress)
  const ofAll = createRates(sizes.anonymous)

  /** Whoever is not signed in can fail as often as they like, and must not fill the database with it. */
  const isTooMuch = ({ scope, status, address }: AuditEntry): boolean =>
    scope === null && status >= 400 && (ofAddress.take(address) > 0 || ofAll.take('') > 0)

  return {
    async write(entry) {
      if (isTooMuch(entry)) return
      const { subject, scope } = entry
      const values = {
        action: entry.action,
        subject_kind: subject.kind,
        subject_id: cut(subject.id, sizes.name),
        subject_name: cut(subject.name, sizes.name),
        user_id: scope?.user_id ?? null,
        user_name: cut(entry.user_name ?? scope?.user_name, sizes.name),
        domain_id: scope?.domain_id ?? null,
        project_id: scope?.project_id ?? null,
        scope_kind: scope?.kind ?? null,
        request_id: entry.request_id,
        address: entry.address,
        method: entry.method,
        path: cut(entry.path, sizes.path),
        status: entry.status,
        result: entry.status < 400 ? 'success' : 'error',
        error_code: entry.error_code,
        message: cut(entry.message, sizes.message),
        started_at: entry.started_at,
        finished_at: entry.finished_at,
      }
      const columns = Object.keys(values)
      const places = columns.map((_, at) => `$${at + 1}`)
      try {
        await sql.query(
          `insert into audit (${columns.join(', ')}) values (${places.join(', ')})`,
          Object.values(values),
        )
      } catch (err) {
        log.error({ err, request_id: entry.request_id, action: entry.action }, 'the audit log could not be written')
      }
    },

    of: ({ kind, id }, limit, before) =>
      sql.query<AuditRow>(
        `select id::text, action, user_id, user_name, project_id, request_id, result, message, started_at, finished_at from audit
          where subject_kind = $1 and subject_id = $2 and ($3::bigint is null or id < $3) order by id desc limit $4`,
        [kind, id, before, limit],
      ),

    async count({ kind, id }) {
      const [row] = await sql.query<{ count: string }>(
        'select count(*) from audit where subject_kind = $1 and subject_id = $2',
        [kind, id],
      )
      return Number(row?.count ?? 0)
    },

    async prune(olderThanDays) {
      const before = new Date(Date.now() - olderThanDays * 24 * 3600 * 1000)
      for (let removed = 0; ;) {
        const gone = await sql.query(
          `delete from audit where id in (
            select id from audit where started_at < $1 order by started_at limit $2 for update skip locked) returning id`,
          [before, sizes.pruneAtOnce],
        )
        removed += gone.length
        if (gone.length < sizes.pruneAtOnce) return removed
      }
    },
  }
}

/** How the work went that a call only began. */
export interface Outcome {
  state: 'running' | 'success' | 'error'
  message: string | null
  finished_at: string | null
}

/** A line of the audit log as the history of an instance shows it. */
export function asEvent(row: AuditRow, serverId: string, outcome: Outcome | undefined): InstanceEvent {
  const refused = row.result === 'error'
  return {
    id: row.id,
    action: row.action.replace(/^[^.]*\./, ''),
    user_id: row.user_id,
    user_name: row.user_name,
    project_id: row.project_id,
    server_id: serverId,
    request_id: row.request_id,
    started_at: row.started_at.toISOString(),
    finished_at: refused || !outcome ? row.finished_at.toISOString() : outcome.finished_at,
    result: refused ? 'error' : (outcome?.state ?? 'success'),
    message: refused ? row.message : (outcome?.message ?? null),
  }
}
