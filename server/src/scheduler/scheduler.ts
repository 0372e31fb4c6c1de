import { createHash } from 'node:crypto'
import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type Transaction } from 'kysely'
import { hasJobs } from '../inventory/jobs'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import { enqueue } from '../tasks/job'
import { serverScope } from '../tasks/server-scope'
import { nextRun, requireTimes } from './times'
import type { Planned, Schedule, Scheduler } from './types'

const LOOK_MS = 5000
/** Runs that are late by more than this count as missed. */
const LATE_SECONDS = 60
/** Delay before rechecking a run that is due while the previous one is still active. */
const BUSY_SECONDS = 30
/** Delay before retrying a plan that failed to start. Other plans are not affected. */
const FAULT_SECONDS = 300
/**
 * If the clock is set back by more than this, all runs are planned again. If it is set back by less, a run may be late
 * by the same amount.
 */
const SET_BACK_SECONDS = 3600
const AT_ONCE = 200

interface DueRow extends Planned<unknown> {
  name: string
  next_at: Date
  /** Current time on the database clock, which all times here are based on. */
  now: Date
  is_due: boolean
}

/** A plan's fixed position within its jitter, at least 0 and below 1. */
const offsetOf = (name: string, id: string): number =>
  createHash('sha256').update(`${name}\n${id}`).digest().readUInt32BE() / 2 ** 32

/**
 * Starts the jobs of plans when they are due. The same transaction starts a run and advances its plan while the plan's
 * row is locked, so that exactly one server starts the run even if a server dies (decision 0028).
 */
export function createScheduler(tools: {
  db: Kysely<Database>
  inventory: Pick<Inventory, 'transaction'>
  log: Log
  schedules: readonly Schedule[]
  /** Number of plans to read at a time. */
  atOnce?: number | undefined
}): Scheduler {
  const { db, inventory, log, atOnce = AT_ONCE } = tools
  const schedules = new Map(tools.schedules.map((it) => [it.name, it]))
  if (schedules.size < tools.schedules.length) throw new Error('two schedules have the same name')
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let closed = false

  async function put(
    inside: Transaction<Database>,
    { name }: { name: string },
    planned: Planned<unknown>,
  ): Promise<void> {
    const { id, cron, time_zone, jitter_seconds, missed, subject, args, scope } = planned
    const { rows } = await sql<{ now: Date }>`select now()`.execute(inside)
    requireTimes(planned, rows[0]!.now)
    const next = nextRun(planned, offsetOf(name, id), rows[0]!.now)
    await sql`
      insert into schedule (name, id, cron, time_zone, jitter_seconds, missed, subject, args, scope, next_at)
        values (${name}, ${id}, ${cron}, ${time_zone}, ${jitter_seconds}, ${missed}, ${JSON.stringify(subject)},
          ${JSON.stringify(args)}, ${JSON.stringify(scope)}, ${next})
      on conflict (name, id) do update set missed = excluded.missed, subject = excluded.subject, args = excluded.args,
        scope = excluded.scope, cron = excluded.cron, time_zone = excluded.time_zone,
        jitter_seconds = excluded.jitter_seconds,
        -- putting an unchanged plan again does not delay its next run
        next_at = case when (schedule.cron, schedule.time_zone, schedule.jitter_seconds)
          = (excluded.cron, excluded.time_zone, excluded.jitter_seconds) then schedule.next_at else excluded.next_at end,
        reckoned_at = case when (schedule.cron, schedule.time_zone, schedule.jitter_seconds)
          = (excluded.cron, excluded.time_zone, excluded.jitter_seconds) then schedule.reckoned_at else now() end`.execute(
      inside,
    )
  }

  const isDue = sql`next_at <= now()`
  const isOfLaterClock = sql`reckoned_at > now() + make_interval(secs => ${SET_BACK_SECONDS})`
  const due = sql`(${isDue} or ${isOfLaterClock})`

  async function moveTo(inside: Transaction<Database>, { name, id }: DueRow, next: Date | null, began: boolean) {
    await sql`
      update schedule set next_at = ${next}, reckoned_at = now(),
        began_at = case when ${began} then now() else began_at end
      where name = ${name} and id = ${id}`.execute(inside)
  }

  /**
   * Starts a plan's run if it is still due. `lookedAt`: start of the current pass. The delay is measured at this time,
   * so that earlier runs in the pass do not make this one late.
   */
  async function begin(name: string, id: string, lookedAt: Date): Promise<void> {
    await inventory.transaction(async (records, inside) => {
      const { rows } = await sql<DueRow>`
        select name, id, cron, time_zone, jitter_seconds, missed, subject, args, scope, next_at, now() as now,
          coalesce(${isDue}, false) as is_due
        from schedule where name = ${name} and id = ${id} and ${due} for update skip locked`.execute(inside)
      const [row] = rows
      if (!row) return
      const { subject, args, scope, missed, now } = row
      const lateSeconds = row.is_due ? (lookedAt.getTime() - row.next_at.getTime()) / 1000 : 0
      const isLeftOut = missed === 'skip' && lateSeconds > LATE_SECONDS
      const isBusy = row.is_due && !isLeftOut && (await hasJobs(inside, subject))
      if (isBusy && missed === 'once') {
        await sql`
          update schedule set next_at = now() + make_interval(secs => ${BUSY_SECONDS})
          where name = ${name} and id = ${id}`.execute(inside)
        return
      }
      const schedule = schedules.get(name)!
      const begins = row.is_due && !isLeftOut && !isBusy
      if (begins) {
        const hidden = schedule.plan !== undefined
        await enqueue(records, schedule.job, { subject, args: schedule.job.args.parse(args), scope, hidden })
      } else if (row.is_due) log.warn({ schedule: name, id, missed_at: row.next_at }, 'skipped a scheduled run')
      await moveTo(inside, row, nextRun(row, offsetOf(name, id), now), begins)
    })
  }

  /** Due plans, the longest overdue first, with the database time of the query. */
  async function findDue(): Promise<{ name: string; id: string; now: Date }[]> {
    const known = sql`name = any(${[...schedules.keys()]}::text[])`
    const { rows } = await sql<{ name: string; id: string; now: Date }>`
      select name, id, now() as now from (
        (select name, id, next_at from schedule where ${known} and ${isDue} order by next_at limit ${atOnce})
        union
        (select name, id, next_at from schedule where ${known} and ${isOfLaterClock} limit ${atOnce})
      ) as due order by next_at limit ${atOnce}`.execute(db)
    return rows
  }

  async function lookOnce(): Promise<void> {
    let lookedAt: Date | null = null
    for (;;) {
      const rows = await findDue()
      for (const { name, id, now } of rows) {
        if (closed) return
        lookedAt ??= now
        await beginOrPutOff(name, id, lookedAt)
      }
      if (rows.length < atOnce) return
    }
  }

  async function beginOrPutOff(name: string, id: string, lookedAt: Date): Promise<void> {
    try {
      await begin(name, id, lookedAt)
    } catch (error) {
      log.error({ error, schedule: name, id }, 'failed to start a scheduled run; retrying later')
      await sql`
        update schedule set next_at = now() + make_interval(secs => ${FAULT_SECONDS}), reckoned_at = now()
        where name = ${name} and id = ${id} and ${due}`.execute(db)
    }
  }
  const look = (): Promise<void> =>
    (looking ??= lookOnce()
      .catch((error: unknown) => log.warn({ error }, 'failed to look for scheduled runs'))
      .finally(() => {
        looking = null
      }))

  return {
    put,
    async remove(inside, { name }, id) {
      await sql`delete from schedule where name = ${name} and id = ${id}`.execute(inside)
    },
    async next({ name }, id) {
      const { rows } = await sql<{ next_at: Date | null }>`
        select next_at from schedule where name = ${name} and id = ${id}`.execute(db)
      return rows[0]?.next_at ?? null
    },
    async start() {
      for (const it of schedules.values()) {
        const { name, plan } = it
        const subject = { kind: 'schedule', id: name, name }
        if (plan)
          await inventory.transaction((_, inside) =>
            put(inside, it, { ...plan, id: '', subject, args: {}, scope: serverScope }),
          )
        if (plan && it.runsAtStart)
          await sql`update schedule set next_at = least(next_at, now()) where name = ${name} and id = ''`.execute(db)
      }
      await look()
      if (!closed) timer = setInterval(() => void look(), LOOK_MS)
    },
    look,
    async close() {
      closed = true
      clearInterval(timer)
      await looking
    },
  }
}
