import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'
import { numberChanges } from './announcements'
import type { KindColumns } from './columns'
import { readableRows, writeColumns, type PreparedKinds } from './kind-tables'
import { inTransaction } from './transaction'

/*
 * During a rollout or rollback, servers with different declarations of a kind write to the same database, each to its
 * own side tables. The change log records the signature of the writer's declaration. When a server finds a different
 * signature, it rebuilds those rows in its own tables from the entities.
 */

const CHANGES_AT_ONCE = 1000
/** How often the revision reached by the tables is recorded. */
const NOTE_MS = 30_000

/** Keeps this server's side tables up to date with writes by servers that have other declarations. */
export interface OtherVersions {
  /** The revision up to which the tables include the changes of all servers. */
  position(): number
  /** Call this after a commit on any server. Resolves once all changes up to then have been applied. */
  follow(): Promise<void>
  close(): void
}

/** Starts to follow writes by servers with other declarations. Resolves once all changes so far have been applied. */
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

  /** Rebuilds rows in a side table from their entities. */
  async function takeOver(columns: KindColumns, ids: readonly string[]): Promise<void> {
    let left = ids
    // repeat for rows that were created again during their removal
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

  /**
   * Rebuilds all rows. Required when the log no longer covers the missing changes, for example after a day of downtime.
   */
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

  /** If called during a pass, starts another pass afterwards. */
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
    note().catch((error: unknown) => log.warn({ error }, 'failed to record the position of the index'))
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
