import type { AuditChange } from '@mainstay/contract/core/audit-change'
import type { TaskRequest } from '@mainstay/contract/core/tasks'
import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import { endRehearsal } from '@mainstay/engines/ports/rehearsal'
import type { Scope } from '@mainstay/engines/ports/scope'
import { columnsOf, type AuditCall, type AuditEntry, type AuditOutcome, type AuditSubject } from './line'

/*
 * The audit log entry for an action is written in the same transaction as its change, so that neither exists without
 * the other (decision 0028). A command to a cloud cannot be rolled back, so its entry is written before the command is
 * sent. The action is part of the call context rather than a parameter of every command, so that no command can omit
 * it.
 */

/** The parts of an action that are known before it runs. */
export interface ActPlan {
  call: AuditCall
  /** HTTP status on success. */
  status: number
  /** Resource kind of the object; null if the object is not in the index. */
  kind: string | null
  /** Extracts as much of the object as is known from the reply or the written row. */
  subjectOf(thing: unknown): AuditSubject
  /** The fields that the action sets. Called when the entry is written. */
  changes?(): readonly AuditChange[]
  /** The call itself, to be stored with the tasks it starts; null if it must not be stored. */
  request?(): TaskRequest | null
  /**
   * Whether to write the entry before the work begins, with an unknown outcome, because the work has effects outside
   * this database.
   */
  noteFirst: boolean
}

/** An audited action in progress. */
export interface Act {
  /** Runs the work. Throws without running it if the entry has to be written first but cannot be. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Records success; `thing` is the reply. */
  done(thing: unknown): Promise<void>
  failed(outcome: Omit<AuditOutcome, 'finished_at'>): Promise<void>
  /** Suppresses the entry because nothing was done. */
  leaveUnrecorded(): void
}

interface ActState {
  plan: ActPlan
  /** The entry as written by a transaction, which may since have been rolled back. */
  line: { id: string; outcome: AuditOutcome } | null
  /** Whether that transaction was committed. */
  isKept: boolean
  isOver: boolean
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    act?: ActState
  }
}

/**
 * The current action if its entry has not been committed yet. A job does not have its own action: it is covered by the
 * entry for the call that started it, unless the job itself makes calls.
 */
function unrecorded(): ActState | null {
  const { act } = currentCall()
  return !act || act.isOver || act.isKept ? null : act
}

/** Inserts an entry. */
export const insertLine = (sql: Sql, entry: AuditEntry): Promise<{ id: string }[]> => {
  const values = columnsOf(entry)
  const names = Object.keys(values)
  return sql.query<{ id: string }>(
    `insert into audit (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning id::text`,
    Object.values(values),
  )
}

/**
 * Writes the entry for the current action, unless it already has one, at the end of a transaction that changes
 * something. `thing` is the written row, and `by` is the actor if the call has none. Returns a function to call after
 * the commit.
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

/** Sets the actor of the current action if no user is signed in, so that a failure is also recorded under this user. */
export function nameActor({ id, name, domain_id }: { id: string; name: string; domain_id: string }): void {
  const call = unrecorded()?.plan.call
  if (call && call.scope === null) Object.assign(call, { user_id: id, user_name: name, domain_id })
}

/**
 * The current action if its entry has not been written yet, otherwise null. `isSignedIn`: whether the actor is known.
 */
export function pendingAct(): { kind: string | null; isSignedIn: boolean } | null {
  const state = unrecorded()
  return state && { kind: state.plan.kind, isSignedIn: state.plan.call.scope !== null }
}

/** The current call, to be stored with a task that it starts; null if there is none or it must not be stored. */
export function requestUnderWay(): TaskRequest | null {
  const { act } = currentCall()
  return (!act || act.isOver ? null : act.plan.request?.()) ?? null
}

/**
 * Runs a transaction in which `record` writes the entry for the current action. Call `record` if the transaction
 * changes something.
 */
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

/**
 * Wraps the database for an engine that makes all changes in transactions: each transaction writes the entry for its
 * action.
 */
export const recordingActs = (sql: Sql): Sql => ({
  query: (text, values) => sql.query(text, values),
  transaction: (work) =>
    withRecord(sql, async (inside, record) => {
      const result = await work(inside)
      await record()
      return result
    }),
})

/** Begins an action. `write` inserts the entry if no transaction has written it. */
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

  /** Completes the entry, or inserts it if the transaction that wrote it was rolled back. */
  async function complete(outcome: AuditOutcome): Promise<void> {
    const { line } = state
    if (line) {
      const { subject_id, subject_name, result, status, error_code, message, finished_at } = columnsOf({
        ...plan.call,
        ...outcome,
      })
      // keep the object that the transaction recorded; a sealed entry cannot be changed, so insert a second one
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
      log.error({ err, request_id, action }, 'failed to write the audit log')
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
