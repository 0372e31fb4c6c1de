import type { FeedItem, UnreadableRow } from '../../ports/feed'
import type { Entity, Log } from '../../ports/records'
import { tolerant, type KindReader, type Reading } from '../kind-reader'
import { createWakeSignal } from './wake-signal'
import { createRefreshQueue } from './refresh-queue'
import type { HealthBoard } from './health'
import { backOff, type FeedIntervals } from './intervals'
import type { UnreadableBoard } from './unreadable'

/** Maximum number of rows per read, and of parallel reads per kind. */
const BATCH = 20
const MAX_READS = 4

export interface PollerTools {
  reading: Reading
  reader: KindReader<Entity>
  emit(item: FeedItem): Promise<void>
  /** Requests a read of a row of another kind that includes data from the changed row. Null: all rows of that kind. */
  changedToo(kind: string, id: string | null): void
  /** Limits the number of parallel full reads across all kinds. */
  withPermit<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether notifications about this kind are currently being received. */
  isAnnounced(): boolean
  health: HealthBoard
  unreadable: UnreadableBoard
  /** Returns the kind that is read from this list. Null: the rows in this list are read only as part of other kinds. */
  kindOf(list: string): string | null
  log: Log
  intervals: FeedIntervals
  signal: AbortSignal
}

/** Follows one kind: reads individual rows as they change, and periodically all rows. */
export interface KindPoller {
  /** Requests a read of a row that has changed. */
  changed(id: string): void
  /** Requests a full read as soon as possible. */
  readAll(): void
  /** Adjusts the intervals when notifications start or stop. */
  lookAnew(): void
  /**
   * Returns the time up to which the index is complete, in milliseconds since 1970. Null before the first full read.
   */
  goodUntil(): number | null
  /** Reads until the signal is aborted. */
  run(): Promise<void>
}

export function followKind(tools: PollerTools): KindPoller {
  const { reading, reader, emit, changedToo, health, unreadable, intervals, signal, log } = tools
  const { kind } = reader
  const due = createRefreshQueue(reader, intervals)
  const [rowsSignal, fullReadSignal] = [createWakeSignal(), createWakeSignal()]
  let reads = 0
  let failures = 0
  let retryAt = 0
  let downSince: number | null = null
  /** When the last successful poll or full read started. All changes before that time have been found. */
  let lookedAt: number | null = null
  let pollAt = 0
  let wholeAt = 0
  let wholeTookMs = 0
  /** Set when changes may have been missed; the next full read finds them. */
  let missedAt: number | null = Date.now()
  const shown = new Map<string, { as: string; by: { kind: string; id: string | null }[] }>()

  /** Requests reads of the rows that include data from this row, if that data has changed since the last read. */
  function sawShown(row: Entity): void {
    if (!reader.shownBy) return
    const now = { as: JSON.stringify(reader.shownAs ? reader.shownAs(row) : row['name']), by: reader.shownBy(row) }
    const before = shown.get(row.id)
    shown.set(row.id, now)
    const isNew = !before && reader.shownAs !== undefined && lookedAt !== null
    if (isNew || (before && before.as !== now.as)) readToo([...(before?.by ?? []), ...now.by])
  }

  function sawGone(id: string): void {
    const before = shown.get(id)
    shown.delete(id)
    if (before && reader.shownAs) readToo(before.by)
  }

  function readToo(rows: readonly { kind: string; id: string | null }[]): void {
    for (const [, it] of new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]))) changedToo(it.kind, it.id)
  }

  function succeeded(): void {
    const wasDown = downSince !== null && Date.now() - downSince >= intervals.outage
    failures = 0
    downSince = null
    health.answered(reader)
    if (wasDown) readAll()
  }

  function failed(error: unknown): number {
    if (signal.aborted) return 0
    failures++
    downSince ??= Date.now()
    health.failed(reader, error)
    const pause = backOff(failures, intervals.retry, intervals.retryAtMost)
    retryAt = Date.now() + pause
    // a full read detects the recovery, even for kinds that are not polled
    wholeAt = Math.min(wholeAt, Date.now() + Math.max(pause, intervals.outage))
    fullReadSignal.notify()
    // the health report includes every failure; the log warns only about the first one of an outage
    log[failures === 1 ? 'warn' : 'debug']({ error, kind }, 'a part of the cloud could not be read')
    return pause
  }

  function changed(id: string): void {
    if (!due.changed(id)) readAll()
    rowsSignal.notify()
  }

  function readAll(): void {
    missedAt = Date.now()
    wholeAt = 0
    fullReadSignal.notify()
  }

  async function readRows(ids: string[]): Promise<void> {
    const observed_at = Date.now()
    try {
      const bad = new Map<string, UnreadableRow>()
      const hear = (list: string, row: UnreadableRow): void => {
        if (list === reader.list && row.id !== null) bad.set(row.id, row)
      }
      const rows = await reader.some(tolerant(reading, hear), ids, signal)
      for (const id of ids) {
        const unread = bad.get(id)
        if (unread) {
          unreadable.note(kind, unread)
          due.read(id, null)
          continue
        }
        unreadable.forget(kind, id)
        const row = rows.get(id) ?? null
        await emit(row ? { op: 'put', kind, entity: row, observed_at } : { op: 'remove', kind, id, observed_at })
        if (row) sawShown(row)
        else sawGone(id)
        due.read(id, row)
      }
      succeeded()
    } catch (error) {
      due.failed(ids, failed(error))
    }
  }

  const isAnnounced = (): boolean => tools.isAnnounced() && !reader.isNeverAnnounced

  const pollEvery = (): number => (isAnnounced() ? intervals.pollBeside : intervals.poll)

  async function poll(): Promise<void> {
    const begun = Date.now()
    const since = new Date((lookedAt ?? begun) - intervals.overlap)
    pollAt = begun + pollEvery()
    try {
      // a row without a readable ID is picked up by the next full read
      const rest = tolerant(reading, () => undefined)
      for (const id of await reader.changedSince!(rest, since, signal)) changed(id)
      lookedAt = begun
      succeeded()
    } catch (error) {
      failed(error)
    }
  }

  async function runRows(): Promise<void> {
    while (!signal.aborted) {
      const now = Date.now()
      if (now < retryAt) {
        await rowsSignal.wait(retryAt - now, signal)
        continue
      }
      const ids = reads < MAX_READS ? due.take(BATCH) : []
      if (ids.length > 0) {
        reads++
        void readRows(ids).finally(() => {
          reads--
          rowsSignal.notify()
        })
        continue
      }
      const polls = reader.changedSince !== undefined && lookedAt !== null
      if (polls && now >= pollAt) await poll()
      else
        await rowsSignal.wait(
          Math.min(reads < MAX_READS ? due.wait() : Infinity, polls ? pollAt - now : Infinity),
          signal,
        )
    }
  }

  async function readAllRows(): Promise<void> {
    const begun = Date.now()
    const reported = new Set<string>()
    await emit({ op: 'resync', kind, observed_at: begun })
    const bad = new Map<string, UnreadableRow[]>([[kind, []]])
    const hear = (list: string, row: UnreadableRow): void => {
      if (list === reader.list) bad.get(kind)!.push(row)
      // kinds with their own reader report their own unreadable rows
      else if (tools.kindOf(list) === null) bad.set(list, [...(bad.get(list) ?? []), row])
    }
    for await (const rows of reader.all(tolerant(reading, hear), signal)) {
      for (const entity of rows) {
        reported.add(entity.id)
        // a page may have been requested at any time after the start of this read
        await emit({ op: 'put', kind, entity, observed_at: begun })
        sawShown(entity)
        due.read(entity.id, entity)
      }
    }
    if (signal.aborted) return
    for (const [name, rows] of bad) unreadable.found(name, rows)
    for (const { id } of bad.get(kind)!) {
      if (id !== null) reported.add(id)
      await emit({ op: 'keep', kind, id })
    }
    await emit({ op: 'synced', kind })
    for (const id of shown.keys()) if (!reported.has(id)) sawGone(id)
    due.readAll(begun, reported)
    lookedAt = begun
    pollAt = begun + pollEvery()
    if (missedAt !== null && missedAt <= begun) missedAt = null
    wholeTookMs = Date.now() - begun
    rowsSignal.notify()
  }

  /**
   * Returns the interval between full reads. Kinds whose changes cannot be queried are read in full more often, but
   * this may take up only part of the time.
   */
  const wholeEvery = (): number =>
    isAnnounced() || reader.changedSince ? intervals.resync : Math.max(intervals.whole, 20 * wholeTookMs)

  async function runFullReads(): Promise<void> {
    while (!signal.aborted) {
      if (Date.now() < wholeAt) {
        await fullReadSignal.wait(wholeAt - Date.now(), signal)
        continue
      }
      wholeAt = Date.now() + wholeEvery()
      try {
        await tools.withPermit(readAllRows)
        // this full read has already caught up after the outage
        downSince = null
        succeeded()
      } catch (error) {
        wholeAt = Date.now() + Math.max(failed(error), intervals.retry)
      }
    }
  }

  return {
    changed,
    readAll,
    lookAnew() {
      pollAt = 0
      wholeAt = Math.min(wholeAt, Date.now() + wholeEvery())
      rowsSignal.notify()
      fullReadSignal.notify()
    },
    goodUntil() {
      if (lookedAt === null) return null
      // kinds without notifications rarely change, so the age of their last read is not reported as a delay
      const seen = tools.isAnnounced() && missedAt === null && downSince === null ? Date.now() : lookedAt
      return Math.min(seen, due.oldest() ?? seen)
    },
    async run() {
      await Promise.all([runRows(), runFullReads()])
    },
  }
}
