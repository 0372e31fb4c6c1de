import { isDeepStrictEqual } from 'node:util'
import type { FeedItem, Sight, UnreadableRows } from '@mainstay/engines/ports/feed'
import type { Entity, Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type Transaction } from 'kysely'
import { databaseClock } from '../store/clock'
import type { Database } from '../store/schema'
import { CHANGED_CHANNEL, type Announcements } from './announcements'
import type { KindColumns } from './columns'
import { columnsRow } from './kind-tables'
import { rowsOf } from './read'
import { inTransaction } from './transaction'
import { isFaultOfRow, noteUnreadableRows } from './unreadable'
import { storable, writeRows, type Wanted } from './write'

const BATCH = 500
/** Namespace of the advisory locks by which full reads and single sights of a kind keep out of each other's way. */
const READ_LOCK = 7209
/** What claims to have been seen later than now comes from a clock that was wrong, and is not believed. */
const FUTURE_MS = 5000

/*
 * The order in which a cloud is read is not the order in which answers arrive: a list that was asked for before a row
 * was removed would bring it back. So the database knows for each row when the read behind it was begun, also for rows
 * that are gone, and what was seen earlier is not written. A change is always followed by a read that begins after
 * it, so the read that was begun last has seen everything, whichever server made it. A full read stands for all rows
 * that were not seen later, and lets their own times be forgotten.
 *
 * What a full read finds unchanged is not written at all. From its beginning on nothing that was seen before changes a
 * row that is there, so a row that was as it was told stays so, or shows what was seen later. (A row that is not there
 * may be made: should it be gone, the end of the full read removes it.)
 */

export interface Absorb {
  /** Writes what was seen, in transactions of some hundreds of rows; what is known to be newer stays. */
  absorb(sights: readonly Sight[]): Promise<void>
  /** One who follows a feed from its beginning. What full reads do not tell is removed at their end. */
  follower(): (items: readonly FeedItem[]) => Promise<void>
  /** How many rows of each kind could not be indexed when they were seen last. */
  unreadable(): UnreadableRows[]
}

type Given = Wanted & { seen_at: number | null }
type Put = Extract<Sight, { op: 'put' }>

export function createAbsorb(tools: {
  db: Kysely<Database>
  kinds: ReadonlyMap<string, KindColumns>
  announcements: Announcements
  log: Log
}): Absorb {
  const { db, kinds, announcements } = tools
  const clockAhead = databaseClock(db)
  const unreadable = noteUnreadableRows(tools.log)

  async function absorb(sights: readonly Sight[]): Promise<void> {
    if (sights.length === 0) return
    const ahead = await clockAhead()
    const given = newestOf(sights)
      .filter(canBeIndexed)
      .map((it) => ({ ...it, seen_at: it.seen_at === null ? null : it.seen_at + ahead }))
    for (let at = 0; at < given.length; at += BATCH) await writeBatch(given.slice(at, at + BATCH))
  }

  function canBeIndexed({ kind, id, entity }: Given): boolean {
    const columns = kinds.get(kind)
    try {
      if (entity !== null && columns) columnsRow(columns, storable(entity))
      return true
    } catch (error) {
      unreadable.note(kind, id, error)
      return false
    }
  }

  /** All rows at once; where the database refuses one of them, each by itself. */
  async function writeBatch(batch: readonly Given[]): Promise<void> {
    try {
      const written = await inTransaction(db, async (inside) => writeRows(inside, kinds, await stillNew(inside, batch)))
      if (written.size > 0) announcements.announce(CHANGED_CHANNEL)
      for (const { kind, id } of batch) unreadable.forget(kind, id)
    } catch (error) {
      if (!isFaultOfRow(error)) throw error
      const [first, ...rest] = batch
      if (rest.length === 0) unreadable.note(first!.kind, first!.id, error)
      else for (const it of batch) await writeBatch([it])
    }
  }

  /** Those of a full read that are not as the index has them. Nothing is locked or written to find that out. */
  async function changedOnes(puts: readonly Put[]): Promise<Put[]> {
    const known = new Map<string, Map<string, Entity>>()
    for (const kind of new Set(puts.map((it) => it.kind))) {
      const ids = puts.filter((it) => it.kind === kind).map(({ entity }) => entity.id)
      const columns = kinds.get(kind)
      if (columns) known.set(kind, await rowsOf(db, columns.kind, ids))
    }
    return puts.filter(({ kind, entity }) => {
      const row = known.get(kind)?.get(entity.id)
      const isSame = row !== undefined && isDeepStrictEqual(row, storable(entity))
      if (isSame) unreadable.forget(kind, entity.id)
      return !isSame
    })
  }

  /** Removes what a full read that was begun at `seenAt` did not tell, unless it was seen later. */
  async function endRead(kind: string, told: ReadonlySet<string>, seenAt: number | undefined): Promise<void> {
    if (seenAt !== undefined) await noteFullRead(db, kind, seenAt + (await clockAhead()))
    const rows = await db.selectFrom('resource').select('id').where('kind', '=', kind).execute()
    const gone = rows.filter(({ id }) => !told.has(id))
    unreadable.keepOnly(kind, told)
    await absorb(gone.map(({ id }) => ({ op: 'remove', kind, id, ...(seenAt !== undefined && { seen_at: seenAt }) })))
  }

  return {
    absorb,
    unreadable: unreadable.all,
    follower() {
      const reads = new Map<string, { seenAt: number | undefined; told: Set<string>; keepsAll?: boolean }>()
      return async (items) => {
        let waiting: Sight[] = []
        let fromFullReads: Put[] = []
        const flush = async (): Promise<void> => {
          const [sights, puts] = [waiting, fromFullReads]
          waiting = []
          fromFullReads = []
          await absorb([...sights, ...(puts.length > 0 ? await changedOnes(puts) : [])])
        }
        for (const item of items) {
          if (item.op === 'put' || item.op === 'remove') {
            const read = reads.get(item.kind)
            if (item.op === 'put') read?.told.add(item.entity.id)
            // a row that was read by itself meanwhile is as new as that
            if (item.op === 'put' && item.seen_at !== undefined && item.seen_at === read?.seenAt)
              fromFullReads.push(item)
            else waiting.push(item)
          } else if (item.op === 'resync') {
            await flush()
            if (item.seen_at !== undefined) await noteReadBegun(db, item.kind, item.seen_at + (await clockAhead()))
            // a full read within a full read: the engine began anew
            reads.set(item.kind, { seenAt: item.seen_at, told: new Set() })
          } else if (item.op === 'keep') {
            const read = reads.get(item.kind)
            if (item.id !== null) read?.told.add(item.id)
            // any row may be the one that nobody could read
            else if (read) read.keepsAll = true
          } else if (item.op === 'synced') {
            await flush()
            const read = reads.get(item.kind)
            reads.delete(item.kind)
            if (read && !read.keepsAll) await endRead(item.kind, read.told, read.seenAt)
          }
        }
        await flush()
      }
    },
  }
}

/** One sight for each row, the latest, in the order in which every server locks them. */
function newestOf(sights: readonly Sight[]): Given[] {
  const newest = new Map<string, Given>()
  for (const sight of sights) {
    const entity = sight.op === 'put' ? sight.entity : null
    const it = {
      kind: sight.kind,
      id: entity?.id ?? (sight as { id: string }).id,
      entity,
      seen_at: sight.seen_at ?? null,
    }
    const key = `${it.kind}\n${it.id}`
    const other = newest.get(key)
    if (!other || it.seen_at === null || other.seen_at === null || it.seen_at >= other.seen_at) newest.set(key, it)
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, it]) => it)
}

/** Notes when these rows were seen, and answers those of which nothing newer is known; they stay locked. */
async function stillNew(inside: Transaction<Database>, batch: readonly Given[]): Promise<Given[]> {
  const timed = batch.filter(({ seen_at }) => seen_at !== null)
  if (timed.length === 0) return [...batch]
  const kinds = [...new Set(timed.map(({ kind }) => kind))].toSorted()
  for (const kind of kinds)
    await sql`select pg_advisory_xact_lock_shared(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
  const rows = JSON.stringify(timed.map(({ kind, id, seen_at }) => ({ kind, id, seen_at })))
  const taken = await sql<{ kind: string; id: string }>`
    insert into sight (kind, id, seen_at)
    select given.kind, given.id, given.seen_at
    from json_to_recordset(${rows}::json) as given (kind text, id text, seen_at double precision)
      left join full_read on full_read.kind = given.kind
    where (full_read.seen_at is null or given.seen_at >= full_read.seen_at or ${isFuture('full_read.seen_at')})
      and (full_read.begun_at is null or given.seen_at >= full_read.begun_at or ${isFuture('full_read.begun_at')}
        or not exists (select from resource where resource.kind = given.kind and resource.id = given.id))
    order by given.kind collate "C", given.id collate "C"
    on conflict (kind, id) do update set seen_at = excluded.seen_at
      where sight.seen_at <= excluded.seen_at or ${isFuture('sight.seen_at')}
    returning kind, id`.execute(inside)
  const isNew = new Set(taken.rows.map(({ kind, id }) => `${kind}\n${id}`))
  return batch.filter(({ kind, id, seen_at }) => seen_at === null || isNew.has(`${kind}\n${id}`))
}

/** From here on everything of this kind counts as seen then; who is just writing what was seen earlier is waited for. */
async function noteFullRead(db: Kysely<Database>, kind: string, seenAt: number): Promise<void> {
  await inTransaction(db, async (inside) => {
    await sql`select pg_advisory_xact_lock(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
    await sql`
      insert into full_read (kind, seen_at) values (${kind}, ${seenAt})
      on conflict (kind) do update set seen_at = excluded.seen_at
        where full_read.seen_at <= excluded.seen_at or ${isFuture('full_read.seen_at')}`.execute(inside)
    await sql`
      delete from sight using full_read
      where sight.kind = ${kind} and full_read.kind = ${kind} and sight.seen_at < full_read.seen_at`.execute(inside)
  })
}

/** Before anything is compared: from here on nothing that was seen earlier changes a row that is there. */
async function noteReadBegun(db: Kysely<Database>, kind: string, begunAt: number): Promise<void> {
  await inTransaction(db, async (inside) => {
    await sql`select pg_advisory_xact_lock(${READ_LOCK}, hashtext(${kind}))`.execute(inside)
    await sql`
      insert into full_read (kind, seen_at, begun_at) values (${kind}, 0, ${begunAt})
      on conflict (kind) do update set begun_at = excluded.begun_at
        where full_read.begun_at is null or full_read.begun_at <= excluded.begun_at
          or ${isFuture('full_read.begun_at')}`.execute(inside)
  })
}

const isFuture = (time: 'sight.seen_at' | 'full_read.seen_at' | 'full_read.begun_at') =>
  sql`${sql.ref(time)} > extract(epoch from clock_timestamp())::float8 * 1000 + ${FUTURE_MS}`
