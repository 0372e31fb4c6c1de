import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import { numberChanges } from './announcements'
import type { KindColumns } from './columns'
import { readableRows, writeColumns, type PreparedKinds } from './kind-tables'
import { inTransaction } from './transaction'

/*
 * While a release is rolled out, or taken back, servers with other declarations of a kind write to the same database.
 * Each writes its own side tables. What it wrote is in the change log, with the signature of its declaration; a server
 * that finds another signature than its own makes those rows of its own tables anew from the entities.
 */

const CHANGES_AT_ONCE = 1000
/** How often is noted how far the tables are. */
const NOTE_MS = 30_000

/** Keeps the side tables of this server in step with servers that have other declarations. */
export interface OtherVersions {
  /** The tables show everything up to this revision, whoever wrote it. */
  position(): number
  /** Something was committed. Resolves when everything up to then is shown. */
  follow(): Promise<void>
  close(): void
}

/** Everything that was written so far is shown when this resolves. */
export async function followOtherVersions(
  { db, log }: { db: Kysely<Database>; log: Log },
  { columns: kinds, asOf }: PreparedKinds,
): Promise<OtherVersions> {
  const own = [...kinds.values()].map(({ signature }) => signature)
  let position = asOf
  let pass: Promise<void> | null = null
  let next: Promise<void> | null = null
  let isClosed = false

  async function readOn(): Promise<void> {
    while (!isClosed) {
      const { rows } = await sql<{
        head: number
        pruned: number
        count: number
        last: number
        kind: string
        id: string
      }>`
        with logged as materialized (
          select revision, kind, id, signature from change where revision > ${position}
          order by revision limit ${CHANGES_AT_ONCE}
        )
        select head.value as head, pruned.revision as pruned, part.count, part.last, foreign_row.kind, foreign_row.id
        from revision head cross join change_pruned pruned
          cross join (select count(*) as count, max(revision) as last from logged) part
          left join (
            select distinct kind, id from logged
            where kind = any(${[...kinds.keys()]}::text[]) and (signature is null or signature <> all(${own}::text[]))
          ) foreign_row on true`.execute(db)
      const { head, pruned, count, last } = rows[0]!
      if (position < pruned) await everythingAnew()
      else
        for (const columns of kinds.values()) {
          const ids = rows.filter(({ kind }) => kind === columns.kind.name).map(({ id }) => id)
          await takeOver(columns, ids)
        }
      position = Math.max(position, count === CHANGES_AT_ONCE && position >= pruned ? last : head)
      if (position >= head) return
    }
  }

  /** Makes rows of a side table what the entities say. */
  async function takeOver(columns: KindColumns, ids: readonly string[]): Promise<void> {
    let left = ids
    // a row that is made again while it is taken out is put back
    while (left.length > 0) {
      const missing = await inTransaction(db, async (inside) => {
        const { rows } = await sql<{ id: string; body: { id: string } }>`
          select id, body from resource where kind = ${columns.kind.name} and id = any(${left}::text[])
          order by id for share`.execute(inside)
        const found = new Set(rows.map(({ id }) => id))
        const gone = left.filter((id) => !found.has(id))
        await writeColumns(inside, columns, readableRows(log, columns, rows))
        if (gone.length > 0)
          await sql`delete from ${sql.table(columns.table)} where id = any(${gone}::text[])`.execute(inside)
        return gone
      })
      if (missing.length === 0) return
      const { rows } = await sql<{ id: string }>`
        select id from resource where kind = ${columns.kind.name} and id = any(${missing}::text[])`.execute(db)
      left = rows.map(({ id }) => id)
    }
  }

  /** The log no longer reaches back to what is missing: this server was held up for a day. */
  async function everythingAnew(): Promise<void> {
    for (const columns of kinds.values()) {
      let after = ''
      for (;;) {
        const { rows } = await sql<{ id: string }>`
          select id from (
            select id from resource where kind = ${columns.kind.name} and id > ${after}
            union select id from ${sql.table(columns.table)} where id > ${after}
          ) either order by id limit ${CHANGES_AT_ONCE}`.execute(db)
        if (rows.length === 0) break
        const ids = rows.map(({ id }) => id)
        await takeOver(columns, ids)
        after = ids[ids.length - 1]!
      }
    }
  }

  /** A call while a pass is going on has another one follow it. */
  function follow(): Promise<void> {
    if (!pass) {
      pass = readOn().finally(() => {
        pass = null
      })
      return pass
    }
    next ??= pass
      .catch(() => undefined)
      .then(() => {
        next = null
        return follow()
      })
    return next
  }

  const note = async (): Promise<void> => {
    await numberChanges(db)
    await follow()
    await sql`
      update side_table set as_of = greatest(as_of, ${position}), used_at = now()
      where signature = any(${own}::text[])`.execute(db)
  }

  await note()
  const timer = setInterval(() => {
    note().catch((error: unknown) => log.warn({ error }, 'how far the index is could not be noted'))
  }, NOTE_MS)
  timer.unref()
  return {
    position: () => position,
    follow,
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}
