import type { FeedItem, Sight } from '@mainstay/engines/ports/feed'
import { sql, type Kysely, type Transaction } from 'kysely'
import { databaseClock } from '../store/clock'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import { inTransaction } from './transaction'
import { writeRows, type Wanted } from './write'

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
 */

export interface Absorb {
  /** Writes what was seen, in transactions of some hundreds of rows; what is known to be newer stays. */
  absorb(sights: readonly Sight[]): Promise<void>
  /** One who follows a feed from its beginning. What full reads do not tell is removed at their end. */
  follower(): (items: readonly FeedItem[]) => Promise<void>
}

type Given = Wanted & { seen_at: number | null }

export function createAbsorb(db: Kysely<Database>, kinds: ReadonlyMap<string, KindColumns>): Absorb {
  const clockAhead = databaseClock(db)

  async function absorb(sights: readonly Sight[]): Promise<void> {
    if (sights.length === 0) return
    const ahead = await clockAhead()
    const given = newestOf(sights).map((it) => ({ ...it, seen_at: it.seen_at === null ? null : it.seen_at + ahead }))
    for (let at = 0; at < given.length; at += BATCH) {
      const batch = given.slice(at, at + BATCH)
      await inTransaction(db, async (inside) => writeRows(inside, kinds, await stillNew(inside, batch)))
    }
  }

  /** Removes what a full read that was begun at `seenAt` did not tell, unless it was seen later. */
  async function endRead(kind: string, told: ReadonlySet<string>, seenAt: number | undefined): Promise<void> {
    if (seenAt !== undefined) await noteFullRead(db, kind, seenAt + (await clockAhead()))
    const rows = await db.selectFrom('resource').select('id').where('kind', '=', kind).execute()
    const gone = rows.filter(({ id }) => !told.has(id))
    await absorb(gone.map(({ id }) => ({ op: 'remove', kind, id, ...(seenAt !== undefined && { seen_at: seenAt }) })))
  }

  return {
    absorb,
    follower() {
      const reads = new Map<string, { seenAt: number | undefined; told: Set<string> }>()
      return async (items) => {
        let waiting: Sight[] = []
        const flush = async (): Promise<void> => {
          const sights = waiting
          waiting = []
          await absorb(sights)
        }
        for (const item of items) {
          if (item.op === 'put' || item.op === 'remove') {
            if (item.op === 'put') reads.get(item.kind)?.told.add(item.entity.id)
            waiting.push(item)
          } else if (item.op === 'resync') {
            // a full read within a full read: the engine began anew
            reads.set(item.kind, { seenAt: item.seen_at, told: new Set() })
          } else if (item.op === 'synced') {
            await flush()
            const read = reads.get(item.kind)
            reads.delete(item.kind)
            if (read) await endRead(item.kind, read.told, read.seenAt)
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
    where full_read.seen_at is null or given.seen_at >= full_read.seen_at or ${isFuture('full_read')}
    order by given.kind collate "C", given.id collate "C"
    on conflict (kind, id) do update set seen_at = excluded.seen_at
      where sight.seen_at <= excluded.seen_at or ${isFuture('sight')}
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
        where full_read.seen_at <= excluded.seen_at or ${isFuture('full_read')}`.execute(inside)
    await sql`
      delete from sight using full_read
      where sight.kind = ${kind} and full_read.kind = ${kind} and sight.seen_at < full_read.seen_at`.execute(inside)
  })
}

const isFuture = (table: 'sight' | 'full_read') =>
  sql`${sql.table(table)}.seen_at > extract(epoch from clock_timestamp())::float8 * 1000 + ${FUTURE_MS}`
