import type { InstanceEvent } from '@mainstay/contract/compute/instances'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { SyslogTarget } from '../config'
import { limits } from '../limits'
import { createRates } from '../http/overload/rates'
import { pruneLines, sealLines } from './chain'
import { forwardLines, type Forwarded } from './forward'
import { beginAct, insertLine, type Act, type ActPlan } from './acts'
import type { AuditEntry, AuditResult } from './line'

export interface Audit {
  /** Begins an act, whose line is written together with what it changes. */
  begin(plan: ActPlan): Act
  /** Adds a line. A failure is logged and not thrown: what was done is done. */
  write(entry: AuditEntry): Promise<void>
  /** What was done to a thing, newest first, from `before` (an id of the answer before) on. */
  of(subject: { kind: string; id: string }, limit: number, before: string | null): Promise<AuditRow[]>
  count(subject: { kind: string; id: string }): Promise<number>
  /** Seals the lines that change no more. Answers how many. */
  seal(): Promise<number>
  /** Sends what was sealed since the last time to a receiver of syslog. Throws where it does not take it. */
  forward(target: SyslogTarget): Promise<Forwarded>
  /** Removes lines that are older than this, in short transactions. Answers how many. */
  prune(olderThanDays: number): Promise<number>
}

export interface AuditRow {
  id: string
  action: string
  user_id: string | null
  user_name: string | null
  project_id: string | null
  request_id: string
  result: AuditResult
  message: string | null
  started_at: Date
  finished_at: Date
}

const sizes = limits.audit

export function createAudit(sql: Sql, log: Log): Audit {
  const ofAddress = createRates(sizes.anonymousOfAddress)
  const ofAll = createRates(sizes.anonymous)

  /** Whoever is not signed in can fail as often as they like, and must not fill the database with it. */
  const isTooMuch = ({ scope, status, address }: AuditEntry): boolean =>
    scope === null && status >= 400 && (ofAddress.take(address) > 0 || ofAll.take('') > 0)

  async function write(entry: AuditEntry): Promise<void> {
    if (isTooMuch(entry)) return
    try {
      await insertLine(sql, entry)
    } catch (err) {
      log.error({ err, request_id: entry.request_id, action: entry.action }, 'the audit log could not be written')
    }
  }

  return {
    write,
    begin: (plan) => beginAct({ sql, log, write }, plan),

    of: ({ kind, id }, limit, before) =>
      sql.query<AuditRow>(
        `select id::text, action, user_id, user_name, project_id, request_id, result, message, started_at, finished_at from audit
          where subject_kind = $1 and subject_id = $2 and ($3::bigint is null or id < $3) order by audit.id desc limit $4`,
        [kind, id, before, limit],
      ),

    async count({ kind, id }) {
      const [row] = await sql.query<{ count: string }>(
        'select count(*) from audit where subject_kind = $1 and subject_id = $2',
        [kind, id],
      )
      return Number(row?.count ?? 0)
    },

    seal: () => sealLines(sql),
    forward: (target) => forwardLines({ sql, log }, target),
    prune: (olderThanDays) => pruneLines(sql, olderThanDays),
  }
}

/** How the work went that a call only began. */
export interface Outcome {
  state: 'running' | 'success' | 'error'
  message: string | null
  finished_at: string | null
}

/** A call whose outcome is unknown for longer than this was cut off. */
const UNDER_WAY_MS = 10 * 60_000
const cutOff = 'The server stopped before this was answered. Whether it was done shows in the thing itself'

/** What a line alone says of the outcome. */
function outcomeOf({ result, message, started_at, finished_at }: AuditRow): Outcome {
  if (result !== 'unknown') return { state: result, message, finished_at: finished_at.toISOString() }
  if (Date.now() - started_at.getTime() < UNDER_WAY_MS) return { state: 'running', message, finished_at: null }
  return { state: 'error', message: cutOff, finished_at: null }
}

/** A line of the audit log as the history of an instance shows it; `work` is how that went that the call began. */
export function asEvent(row: AuditRow, serverId: string, work: Outcome | undefined): InstanceEvent {
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
  }
}
