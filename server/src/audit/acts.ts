import type { AuditChange } from '@mainstay/contract/core/audit-change'
import type { TaskRequest } from '@mainstay/contract/core/tasks'
import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import { endRehearsal } from '@mainstay/engines/ports/rehearsal'
import type { Scope } from '@mainstay/engines/ports/scope'
import { columnsOf, type AuditCall, type AuditEntry, type AuditOutcome, type AuditSubject } from './line'

/*
 * The line of an act is written in the transaction in which the act changes something, so that there is none without the
 * other (decision 0028). What a cloud is told cannot be undone, so the line of such an act is written before it. The act
 * travels with the call and not through every command, so that none can forget it.
 */

/** What is known of an act before it is done. */
export interface ActPlan {
  call: AuditCall
  /** Status of the answer when all goes well. */
  status: number
  /** Kind of the thing that it is about; null where it is about nothing in the index. */
  kind: string | null
  /** What it is about, as far as it shows in this: the answer, or the row that was written. */
  subjectOf(thing: unknown): AuditSubject
  /** Which fields it sets; asked when the line is written. */
  changes?(): readonly AuditChange[]
  /** The call itself, for the tasks that it begins; null where it is not to be kept. */
  request?(): TaskRequest | null
  /** The work leaves this database: the line is written before it begins, and says that the outcome is unknown. */
  noteFirst: boolean
}

/** One act under way, for the audit log. */
export interface Act {
  /** Does the work. Throws and does nothing when the line cannot be noted first. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** It went well: `thing` is what it answered. */
  done(thing: unknown): Promise<void>
  failed(outcome: Omit<AuditOutcome, 'finished_at'>): Promise<void>
  /** Nothing was done: no line is written. */
  leaveUnrecorded(): void
}

interface ActState {
  plan: ActPlan
  /** The line that a transaction has written, which may have come to nothing. */
  line: { id: string; outcome: AuditOutcome } | null
  /** That transaction has ended well. */
  isKept: boolean
  isOver: boolean
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    act?: ActState
  }
}

/**
 * The act under way that has no line yet. A job acts for nobody who is there: its line is that of the call that began it,
 * unless it makes calls of its own.
 */
function unrecorded(): ActState | null {
  const { act } = currentCall()
  return !act || act.isOver || act.isKept ? null : act
}

/** Writes a line. */
export const insertLine = (sql: Sql, entry: AuditEntry): Promise<{ id: string }[]> => {
  const values = columnsOf(entry)
  const names = Object.keys(values)
  return sql.query<{ id: string }>(
    `insert into audit (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning id::text`,
    Object.values(values),
  )
}

/**
 * In a transaction that changes something, before it ends: writes the line of the act under way, if there is one and it
 * has none yet. `thing` is the row that was written, and `by` who is found to act where nobody was signed in before.
 * Answers what to call once the transaction has ended well.
 */
export async function recordAct(sql: Sql, thing?: unknown, by?: Scope): Promise<() => void> {
  const state = unrecorded()
  if (!state) return () => undefined
  const { call, status, subjectOf, changes } = state.plan
  const outcome: AuditOutcome = {
    ...{ subject: subjectOf(thing), result: 'success', status, error_code: null, message: null },
    finished_at: new Date(),
  }
  const whole = { ...call, scope: call.scope ?? by ?? null, changes: changes?.(), ...outcome }
  const [line] = await insertLine(sql, whole)
  state.line = { id: line!.id, outcome }
  return () => {
    state.isKept = true
  }
}

/** Whose act it is, where nobody is signed in before it: the line of a failure says so as well. */
export function nameActor({ id, name, domain_id }: { id: string; name: string; domain_id: string }): void {
  const call = unrecorded()?.plan.call
  if (call && call.scope === null) Object.assign(call, { user_id: id, user_name: name, domain_id })
}

/** The act under way that has no line yet; null where there is none. `isSignedIn`: it is known who acts. */
export function pendingAct(): { kind: string | null; isSignedIn: boolean } | null {
  const state = unrecorded()
  return state && { kind: state.plan.kind, isSignedIn: state.plan.call.scope !== null }
}

/** The call under way, for a task that it begins; null where there is none, or none that is kept. */
export function requestUnderWay(): TaskRequest | null {
  const { act } = currentCall()
  return (!act || act.isOver ? null : act.plan.request?.()) ?? null
}

/** A transaction that changes something once `record` is called in it: it carries the line of the act under way. */
export async function withRecord<Result>(
  sql: Sql,
  work: (inside: Sql, record: (thing?: unknown, by?: Scope) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  let keep = (): void => undefined
  const result = await sql.transaction((inside) =>
    work(inside, async (thing, by) => {
      endRehearsal()
      keep = await recordAct(inside, thing, by)
    }),
  )
  keep()
  return result
}

/** The same database, for an engine whose changes are made in transactions: each carries the line of its act. */
export const recordingActs = (sql: Sql): Sql => ({
  query: (text, values) => sql.query(text, values),
  transaction: (work) =>
    withRecord(sql, async (inside, record) => {
      const result = await work(inside)
      await record()
      return result
    }),
})

/** Begins an act. `write` adds a line of its own where no transaction has written one. */
export function beginAct(
  { sql, log, write }: { sql: Sql; log: Log; write(entry: AuditEntry): Promise<void> },
  plan: ActPlan,
): Act {
  const state: ActState = { plan, line: null, isKept: false, isOver: false }
  let isUnrecorded = false

  const entryOf = (outcome: AuditOutcome): AuditEntry => ({ ...plan.call, changes: plan.changes?.(), ...outcome })

  async function noteFirst(): Promise<void> {
    const outcome: AuditOutcome = {
      ...{ subject: plan.subjectOf(undefined), result: 'unknown', status: 0, error_code: null, message: null },
      finished_at: new Date(),
    }
    const [line] = await insertLine(sql, entryOf(outcome))
    Object.assign(state, { line: { id: line!.id, outcome }, isKept: true })
  }

  /** Completes the line; adds it where the transaction that was to bring it came to nothing. */
  async function complete(outcome: AuditOutcome): Promise<void> {
    const { line } = state
    if (line) {
      const { subject_id, subject_name, result, status, error_code, message, finished_at } = columnsOf({
        ...plan.call,
        ...outcome,
      })
      // what a transaction has said that it was done to stays; of one that is sealed nothing changes, and a second line is added
      const changed = await sql.query<object>(
        `update audit set
          subject_id = case result when 'unknown' then coalesce($2, subject_id) else coalesce(subject_id, $2) end,
          subject_name = case result when 'unknown' then coalesce($3, subject_name) else coalesce(subject_name, $3) end,
          result = $4, status = $5, error_code = $6, message = $7, finished_at = $8
        where id = $1 and not exists (select from audit_seal where line_id = $1) returning id`,
        [line.id, subject_id, subject_name, result, status, error_code, message, finished_at],
      )
      if (changed.length > 0) return
    }
    await write(entryOf(outcome))
  }
  async function end(outcome: AuditOutcome): Promise<void> {
    state.isOver = true
    if (isUnrecorded && !state.line) return
    try {
      await complete(outcome)
    } catch (err) {
      const { request_id, action } = plan.call
      log.error({ err, request_id, action }, 'the audit log could not be written')
    }
  }

  return {
    async run(work) {
      if (plan.noteFirst) await noteFirst()
      return withinCall({ act: state }, work)
    },
    async done(thing) {
      const subject = plan.subjectOf(thing)
      const said = state.line?.outcome
      const isSaid = state.isKept && said?.result === 'success'
      const isNew = (known: string | null | undefined, told: string | null) => (known ?? null) === null && told !== null
      if (isSaid && !isNew(said.subject.id, subject.id) && !isNew(said.subject.name, subject.name)) {
        state.isOver = true
        return
      }
      const { status } = plan
      await end({ subject, status, result: 'success', error_code: null, message: null, finished_at: new Date() })
    },
    failed: (outcome) => end({ ...outcome, finished_at: new Date() }),
    leaveUnrecorded() {
      isUnrecorded = true
    },
  }
}
