import type { InstanceEvent } from '@mainstay/contract/compute/instances'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { SyslogTarget } from '../config'
import { limits } from '../limits'
import { createRates } from '../http/overload/rates'
import { pruneLines, sealLines } from './chain'
import { forwardLines, type Forwarded } from './forward'
import { beginAct, insertLine, type Act, type ActPlan } from './acts'
import type { AuditEntry, AuditResult } from './line'

export interface Audit {
  /** Begins an action. Its entry is written together with its change. */
  begin(plan: ActPlan): Act
  /** Inserts an entry. A failure is logged rather than thrown, because the action cannot be undone. */
  write(entry: AuditEntry): Promise<void>
  /**
   * Entries for actions on an object, newest first, before the entry with ID `before`; with `requestId`, only those
   * from that request.
   */
  of(
    subject: { kind: string; id: string },
    limit: number,
    before: string | null,
    requestId?: string | null,
  ): Promise<AuditRow[]>
  count(subject: { kind: string; id: string }): Promise<number>
  /** The caller and the object of each request. */
  ofRequests(requestIds: readonly string[]): Promise<RequestRow[]>
  /** Seals entries that can no longer change. Returns the number of sealed entries. */
  seal(): Promise<number>
  /** Sends newly sealed entries to a syslog receiver. Throws if the receiver does not accept them. */
  forward(target: SyslogTarget): Promise<Forwarded>
  /** Removes entries older than this, in short transactions. Returns the number of removed entries. */
  prune(olderThanDays: number): Promise<number>
}

/** Caller, address and scope of a request. */
export interface AuditSource {
  user_id: string | null
  user_name: string | null
  domain_id: string | null
  /** Kind of the caller's scope. */
  scope_kind: string | null
  address: string
  request_id: string
}

export interface RequestRow extends AuditSource {
  subject_kind: string | null
  subject_id: string | null
}

export interface AuditRow extends AuditSource {
  id: string
  action: string
  project_id: string | null
  result: AuditResult
  message: string | null
  changes: AuditChange[] | null
  started_at: Date
  finished_at: Date
}

const SOURCE_COLUMNS = 'user_id, user_name, domain_id, scope_kind, address, request_id'
const sizes = limits.audit

export function createAudit(sql: Sql, log: Log): Audit {
  const ofAddress = createRates(sizes.anonymousOfAddress)
  const ofAll = createRates(sizes.anonymous)

  /** Whether a failed anonymous call exceeds the rate limit. Without the limit, such calls could fill the database. */
  const isTooMuch = ({ scope, status, address }: AuditEntry): boolean =>
    scope === null && status >= 400 && (ofAddress.take(address) > 0 || ofAll.take('') > 0)

  async function write(entry: AuditEntry): Promise<void> {
    if (isTooMuch(entry)) return
    try {
      await insertLine(sql, entry)
    } catch (err) {
      log.error({ err, request_id: entry.request_id, action: entry.action }, 'failed to write the audit log')
    }
  }

  return {
    write,
    begin: (plan) => beginAct({ sql, log, write }, plan),

    of: ({ kind, id }, limit, before, requestId = null) =>
      sql.query<AuditRow>(
        `select id::text, action, project_id, result, message, changes, started_at, finished_at, ${SOURCE_COLUMNS}
          from audit
          where subject_kind = $1 and subject_id = $2 and ($3::bigint is null or id < $3)
            and ($5::text is null or request_id = $5) order by audit.id desc limit $4`,
        [kind, id, before, limit, requestId],
      ),

    async count({ kind, id }) {
      const [row] = await sql.query<{ count: string }>(
        'select count(*) from audit where subject_kind = $1 and subject_id = $2',
        [kind, id],
      )
      return Number(row?.count ?? 0)
    },

    ofRequests: (requestIds) =>
      requestIds.length === 0
        ? Promise.resolve([])
        : sql.query<RequestRow>(
            `select subject_kind, subject_id, ${SOURCE_COLUMNS} from audit where request_id = any($1::text[])`,
            [requestIds],
          ),

    seal: () => sealLines(sql),
    forward: (target) => forwardLines({ sql, log }, target),
    prune: (olderThanDays) => pruneLines(sql, olderThanDays),
  }
}

/** Outcome of work that continues after the call that started it. */
export interface Outcome {
  state: 'running' | 'success' | 'error'
  message: string | null
  finished_at: string | null
}

/** A call whose outcome is still unknown after this time is considered interrupted. */
const UNDER_WAY_MS = 10 * 60_000
const cutOff = 'The server stopped before this call was answered. Check the object to see whether it was changed'

/** The outcome according to the entry alone. */
function outcomeOf({ result, message, started_at, finished_at }: AuditRow): Outcome {
  if (result !== 'unknown') return { state: result, message, finished_at: finished_at.toISOString() }
  if (Date.now() - started_at.getTime() < UNDER_WAY_MS) return { state: 'running', message, finished_at: null }
  return { state: 'error', message: cutOff, finished_at: null }
}

/**
 * Converts an audit log entry to an event in an instance's history, as visible to `scope`. `work`: outcome of the work
 * that the call started. Changes made by operators are hidden from tenants, because they may contain host names.
 */
export function asEvent(row: AuditRow, serverId: string, work: Outcome | undefined, scope: Scope): InstanceEvent {
  const { state, ...outcome } = row.result === 'error' || !work ? outcomeOf(row) : work
  return {
    id: row.id,
    action: row.action.replace(/^[^.]*\./, ''),
    user_id: row.user_id,
    user_name: row.user_name,
    project_id: row.project_id,
    server_id: serverId,
    request_id: row.request_id,
    started_at: row.started_at.toISOString(),
    result: state,
    ...outcome,
    changes: (scope.kind === 'system' || row.scope_kind !== 'system' ? row.changes : null) ?? [],
  }
}
