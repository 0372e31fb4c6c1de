import { isDeepStrictEqual } from 'node:util'
import type { FeedItem, Observation, UnreadableRows } from '@mainstay/engines/ports/feed'
import type { Entity, Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type Transaction } from 'kysely'
import { databaseClock } from '../store/clock'
import type { Database } from '../store/schema'
import { CHANGED_CHANNEL, type Announcements } from './announcements'
import type { KindColumns } from './columns'
import { columnsRow } from './kind-tables'
import { inTransaction } from './transaction'
import { isFaultOfRow, noteUnreadableRows } from './unreadable'
import { rowKey } from './row-key'
import { storable, writeRows, type Wanted } from './write'

const BATCH = 500
/** Namespace of the advisory locks that keep full reads apart from single observations of the same kind. */
const READ_LOCK = 7209
/** Recorded times further in the future than this come from a wrong clock and are ignored. */
const FUTURE_MS = 5000

/*
 * Responses from a cloud may arrive in a different order than the requests were sent: a list requested before a row was
 * removed would restore the row. The database therefore stores for each row, including removed ones, when the read that
 * last observed it began, and ignores older observations. Every change is followed by a read that begins after it. The
 * read that began last has therefore seen every change, whichever server it ran on. A full read covers all rows that
 * were not observed later, so the times of those rows can be deleted.
 *
 * A full read does not write unchanged rows. Once it has started, older observations cannot change existing rows, so an
 * unchanged row keeps its reported state or gets that of a later observation. (An older observation can still create a
 * missing row. If the row no longer exists, the end of the full read removes it.)
 *
 * All of this applies to the rows of one source. Rows that belong to another of this server's sources are left alone
 * and are not taken over.
 */

export interface Observations {
  /**
   * Writes observations in transactions of a few hundred rows. Skips observations older than those already in the
   * index.
   */
  applyObservations(observations: readonly Observation[]): Promise<void>
  /** Follows a feed from its beginning. At the end of a full read, removes the rows that the read did not report. */
  follower(): (items: readonly FeedItem[]) => Promise<void>
  /** Number of rows per kind that could not be indexed when last observed. */
  unreadable(): UnreadableRows[]
}

type Given = Wanted & { observed_at: number | null }
type Put = Extract<Observation, { op: 'put' }>

export function createObservations(tools: {
  db: Kysely<Database>
  kinds: ReadonlyMap<string, KindColumns>
  announcements: Announcements
  log: Log
  /** Name of the source whose rows are observed. */
  source: string
  /** Names of this server's other sources. */
  others: () => string[]
}): Observations {
  const { db, kinds, announcements, source, others } = tools
  const clockAhead = databaseClock(db)
  const unreadable = noteUnreadableRows(tools.log)

  const applyObservations = async (observations: readonly Observation[]): Promise<void> =>
    applyTimed(await timedByDatabase(observations))

  /** Converts observation times to the database's clock. */
  async function timedByDatabase<It extends { observed_at?: number }>(items: readonly It[]): Promise<It[]> {
    if (items.length === 0) return []
    const ahead = await clockAhead()
    return items.map((it) => (it.observed_at === undefined ? it : { ...it, observed_at: it.observed_at + ahead }))
  }

  /** Applies observations whose times use the database's clock. */
  async function applyTimed(observations: readonly Observation[]): Promise<void> {
    const given = newestOf(observations)
      .filter(canBeIndexed)
      .map((it) => ({ ...it, source }))
    for (let at = 0; at < given.length; at += BATCH) await writeBatch(given.slice(at, at + BATCH))
  }

  function canBeIndexed({ kind, id, entity }: Omit<Given, 'source'>): boolean {
    const columns = kinds.get(kind)
    try {
      if (entity !== null && columns) columnsRow(columns, storable(entity))
      return true
    } catch (error) {
      unreadable.note(kind, id, error)
      return false
    }
  }

  /** Writes a batch in one transaction, or row by row if the database refuses one of the rows. */
  async function writeBatch(batch: readonly Given[]): Promise<void> {
    try {
      const { written, foreign } = await inTransaction(db, async (inside) => {
        const found = await rowsOfOthers(inside, batch)
        const own = batch.filter(({ kind, id }) => !found.has(rowKey(kind, id)))
        const wanted = await stillNew(inside, { source, others: others() }, own)
        return { foreign: found, written: await writeRows(inside, kinds, wanted, { takesOver: true }) }
      })
      if (written.size > 0) announcements.announce(CHANGED_CHANNEL)
      for (const { kind, id, entity } of batch) {
        const owner = foreign.get(rowKey(kind, id))
        if (owner === undefined || entity === null) unreadable.forget(kind, id)
        else unreadable.note(kind, id, null, `the source ${owner} has a row with this id`)
      }
    } catch (error) {
      if (!isFaultOfRow(error)) throw error
      const [first, ...rest] = batch
      if (rest.length === 0) unreadable.note(first!.kind, first!.id, error)
      else for (const it of batch) await writeBatch([it])
    }
  }

  /** Rows in the batch that belong to another source, by `rowKey`. */
  async function rowsOfOthers(inside: Transaction<Database>, batch: readonly Given[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    if (others().length === 0) return found
    for (const kind of new Set(batch.map((it) => it.kind))) {
      const ids = batch.filter((it) => it.kind === kind).map(({ id }) => id)
      const { rows } = await sql<{ id: string; source: string }>`
        select id, source from resource
        where kind = ${kind} and id = any(${ids}::text[]) and source = any(${others()}::text[])`.execute(inside)
      for (const row of rows) found.set(rowKey(kind, row.id), row.source)
    }
    return found
  }

  /** The rows of a full read that differ from the index. Takes no locks and writes nothing. */
  async function changedOnes(puts: readonly Put[]): Promise<Put[]> {
    const known = new Map<string, Entity>()
    for (const kind of new Set(puts.map((it) => it.kind))) {
      const ids = puts.filter((it) => it.kind === kind && !it.entity.id.includes('\0')).map(({ entity }) => entity.id)
      const { rows } = await sql<{ id: string; body: Entity }>`
        select id, body from resource
        where kind = ${kind} and id = any(${ids}::text[]) and not coalesce(source = any(${others()}::text[]), false)`.execute(
        db,
      )
      for (const { id, body } of rows) known.set(rowKey(kind, id), body)
    }
    return puts.filter(({ kind, entity }) => {
      const row = known.get(rowKey(kind, entity.id))
      const isSame = row !== undefined && isDeepStrictEqual(row, storable(entity))
      if (isSame) unreadable.forget(kind, entity.id)
      return !isSame
    })
  }

  /**
   * Removes rows that were neither reported by a full read begun at `observedAt` (database clock) nor observed later.
   */
  async function endRead(kind: string, reported: ReadonlySet<string>, observedAt: number | undefined): Promise<void> {
    if (observedAt !== undefined) await noteFullRead(db, source, kind, observedAt)
    const rows = await db.selectFrom('resource').select(['id', 'source']).where('kind', '=', kind).execute()
    const living = new Set(others())
    const nobodys = rows.filter((row) => row.source !== source && (row.source === null || !living.has(row.source)))
    await adopt(
      kind,
      nobodys.map(({ id }) => id).filter((id) => reported.has(id)),
    )
    // rows without a source were written by a server version that supported only one source
    const { rows: rivals } = await sql`
      select 1 from kind_source where kind = ${kind} and source <> ${source} limit 1`.execute(db)
    const own = rows.filter((row) => row.source === source || (row.source === null && rivals.length === 0))
    const gone = own.filter(({ id }) => !reported.has(id))
    unreadable.keepOnly(kind, reported)
    await applyTimed(
      gone.map(({ id }) => ({ op: 'remove', kind, id, ...(observedAt !== undefined && { observed_at: observedAt }) })),
    )
  }

  /** Assigns rows that were reported unchanged to this source. */
  async function adopt(kind: string, ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += BATCH)
      await sql`
        update resource set source = ${source}
        where kind = ${kind} and id = any(${ids.slice(at, at + BATCH)}::text[])
          and not coalesce(source = any(${others()}::text[]), false)`.execute(db)
  }

  return {
    applyObservations,
    unreadable: unreadable.all,
    follower() {
      // `timed` is `observedAt` on the database's clock. It is converted only once: a second conversion would differ
      // slightly and could make rows appear older than the start of their read.
      interface FullRead {
        observedAt: number | undefined
        timed: number | undefined
        reported: Set<string>
        keepsAll?: boolean
      }
      const reads = new Map<string, FullRead>()
      return async (items) => {
        let waiting: Observation[] = []
        let fromFullReads: Put[] = []
        const flush = async (): Promise<void> => {
          const [observations, puts] = [waiting, fromFullReads]
          waiting = []
          fromFullReads = []
          await applyTimed([
            ...(await timedByDatabase(observations)),
            ...(puts.length > 0 ? await changedOnes(puts) : []),
          ])
        }
        for (const item of items) {
          if (item.op === 'put' || item.op === 'remove') {
            const read = reads.get(item.kind)
            if (item.op === 'put') read?.reported.add(item.entity.id)
            // a row that was read individually since then has a later time
            if (item.op === 'put' && item.observed_at !== undefined && item.observed_at === read?.observedAt)
              fromFullReads.push({ ...item, observed_at: read.timed! })
            else waiting.push(item)
          } else if (item.op === 'resync') {
            await flush()
            const timed = item.observed_at === undefined ? undefined : item.observed_at + (await clockAhead())
            if (timed !== undefined) await noteReadBegun(db, source, item.kind, timed)
            // a second `resync` means that the engine restarted the full read
            reads.set(item.kind, { observedAt: item.observed_at, timed, reported: new Set() })
          } else if (item.op === 'keep') {
            const read = reads.get(item.kind)
            if (item.id !== null) read?.reported.add(item.id)
            // the unreadable row could be any row
            else if (read) read.keepsAll = true
          } else if (item.op === 'synced') {
            await flush()
            const read = reads.get(item.kind)
            reads.delete(item.kind)
            if (read && !read.keepsAll) await endRead(item.kind, read.reported, read.timed)
          }
        }
        await flush()
      }
    },
  }
}

/** The latest observation of each row, in the order in which all servers take locks. */
function newestOf(observations: readonly Observation[]): Omit<Given, 'source'>[] {
  const newest = new Map<string, Omit<Given, 'source'>>()
  for (const observation of observations) {
    const entity = observation.op === 'put' ? observation.entity : null
    const it = {
      kind: observation.kind,
      id: entity?.id ?? (observation as { id: string }).id,
      entity,
      observed_at: observation.observed_at ?? null,
    }
    const key = rowKey(it.kind, it.id)
    const other = newest.get(key)
    if (!other || it.observed_at === null || other.observed_at === null || it.observed_at >= other.observed_at)
      newest.set(key, it)
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, it]) => it)
}

interface Observer {
  source: string
  others: readonly string[]
}

/**
 * Records when these rows were observed and returns those for which there is no newer observation; they stay locked.
 * Times recorded for this server's other sources are overwritten without comparison. A source that this server does not
 * know is treated as this source under a former name or on another server. The table `sight` and its column `seen_at`
 * keep their names, because servers running earlier versions may use the same database.
 */
async function stillNew(inside: Transaction<Database>, observer: Observer, batch: readonly Given[]): Promise<Given[]> {
  const { source, others } = observer
  const timed = batch.filter(({ observed_at }) => observed_at !== null)
  if (timed.length === 0) return [...batch]
  const kinds = [...new Set(timed.map(({ kind }) => kind))].toSorted()
  for (const kind of kinds)
    await sql`select pg_advisory_xact_lock_shared(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
  const rows = JSON.stringify(timed.map(({ kind, id, observed_at }) => ({ kind, id, observed_at })))
  const taken = await sql<{ kind: string; id: string }>`
    insert into sight (kind, id, seen_at, source)
    select given.kind, given.id, given.observed_at, ${source}::text
    from json_to_recordset(${rows}::json) as given (kind text, id text, observed_at double precision)
      left join source_read on source_read.source = ${source} and source_read.kind = given.kind
    where (source_read.seen_at is null or given.observed_at >= source_read.seen_at or ${isFuture('source_read.seen_at')})
      and (source_read.begun_at is null or given.observed_at >= source_read.begun_at or ${isFuture('source_read.begun_at')}
        or not exists (select from resource where resource.kind = given.kind and resource.id = given.id))
    order by given.kind collate "C", given.id collate "C"
    on conflict (kind, id) do update set seen_at = excluded.seen_at, source = excluded.source
      where sight.seen_at <= excluded.seen_at or sight.source = any(${others}::text[]) or ${isFuture('sight.seen_at')}
    returning kind, id`.execute(inside)
  const isNew = new Set(taken.rows.map(({ kind, id }) => rowKey(kind, id)))
  return batch.filter(({ kind, id, observed_at }) => observed_at === null || isNew.has(rowKey(kind, id)))
}

/** Records when all rows of a source and kind were observed. Waits for transactions that write earlier observations. */
async function noteFullRead(db: Kysely<Database>, source: string, kind: string, observedAt: number): Promise<void> {
  await inTransaction(db, async (inside) => {
    await sql`select pg_advisory_xact_lock(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
    await sql`
      insert into source_read (source, kind, seen_at) values (${source}, ${kind}, ${observedAt})
      on conflict (source, kind) do update set seen_at = excluded.seen_at
        where source_read.seen_at <= excluded.seen_at or ${isFuture('source_read.seen_at')}`.execute(inside)
    await sql`
      delete from sight using source_read
      where sight.kind = ${kind} and coalesce(sight.source, ${source}) = ${source}
        and source_read.source = ${source} and source_read.kind = ${kind}
        and sight.seen_at < source_read.seen_at`.execute(inside)
  })
}

/**
 * Records the start of a full read before any rows are compared. From then on, older observations from this source
 * cannot change existing rows.
 */
async function noteReadBegun(db: Kysely<Database>, source: string, kind: string, begunAt: number): Promise<void> {
  await inTransaction(db, async (inside) => {
    await sql`select pg_advisory_xact_lock(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
    await sql`
      insert into source_read (source, kind, seen_at, begun_at) values (${source}, ${kind}, 0, ${begunAt})
      on conflict (source, kind) do update set begun_at = excluded.begun_at
        where source_read.begun_at is null or source_read.begun_at <= excluded.begun_at
          or ${isFuture('source_read.begun_at')}`.execute(inside)
  })
}

const isFuture = (time: 'sight.seen_at' | 'source_read.seen_at' | 'source_read.begun_at') =>
  sql`${sql.ref(time)} > extract(epoch from clock_timestamp())::float8 * 1000 + ${FUTURE_MS}`
