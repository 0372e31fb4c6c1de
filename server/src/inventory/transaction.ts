import { cascadingKinds } from '@mainstay/contract/core/kind'
import type { Entity, RecordsTransaction, FieldMatch } from '@mainstay/engines/ports/records'
import type { Sql } from '@mainstay/engines/ports/engines'
import { endRehearsal } from '@mainstay/engines/ports/rehearsal'
import { sql, type Kysely, type Transaction } from 'kysely'
import { pendingAct, recordAct } from '../audit/acts'
import { sqlOf } from '../session/sql'
import type { Database } from '../store/schema'
import { requireOwnJob } from '../tasks/fence'
import { cut, type KindColumns } from './columns'
import { CHANGED_CHANNEL, type Announcements } from './announcements'
import { requireUnlocked } from './deletion-locks'
import { JOBS_CHANNEL, startJob, wakeJobs } from './jobs'
import { isExpected, noteWritten, requireExpected } from './row-revisions'
import { rowKey } from './row-key'
import { storable, writeRows, type Wanted } from './write'

/** The source of rows that no engine owns, such as tasks. */
export const SERVER = 'server'

const MAX_ATTEMPTS = 6
const FOUND_AT_ONCE = 1000
/** Limits the memory that a `find` can use. */
const MOST_FOUND = 200_000

/** Runs `work` in a transaction on the index. Retries it after a conflict with another transaction. */
export async function runTransaction<Result>(
  tools: {
    db: Kysely<Database>
    kinds: ReadonlyMap<string, KindColumns>
    announcements: Announcements
    /** Source to assign to rows that the transaction creates. */
    source: string
  },
  work: (records: RecordsTransaction, db: Transaction<Database>, sql: Sql) => Promise<Result>,
): Promise<Result> {
  const { db, kinds, announcements, source } = tools
  const { result, written, channels, keepLine } = await inTransaction(db, async (inside) => {
    await requireOwnJob(inside)
    const { records, sql: tables, flush, hasChanged, firstOf, ...effects } = recordsOf(inside, kinds, source)
    const done = await work(records, inside, tables)
    await flush()
    if (hasChanged()) endRehearsal()
    const act = pendingAct()
    // writes made before the sign-in has completed do not record the act
    const isAct = act?.isSignedIn && hasChanged()
    const keep = isAct ? await recordAct(sqlOf(inside), firstOf(act.kind)) : null
    return { result: done, keepLine: keep, ...effects }
  })
  keepLine?.()
  noteWritten(written)
  if (written.size > 0) channels.add(CHANGED_CHANNEL)
  for (const channel of channels) announcements.announce(channel)
  return result
}

/** Runs a database transaction and retries it after a conflict. */
export async function inTransaction<Result>(
  db: Kysely<Database>,
  work: (db: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !metAnother(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt))
    }
  }
}

/** Serialization failure or deadlock: a retry may succeed. */
const metAnother = (error: unknown): boolean => ['40001', '40P01'].includes(String((error as { code?: unknown })?.code))

/*
 * Writes are buffered until the work is done. Calls that read many rows (find, sum) flush the buffer first.
 */
function recordsOf(
  db: Transaction<Database>,
  kinds: ReadonlyMap<string, KindColumns>,
  source: string,
): {
  records: RecordsTransaction
  /** Access to the engine's own tables. Any query counts as a change. */
  sql: Sql
  flush: () => Promise<void>
  /** Revisions of the rows written; null for removed ones. */
  written: Map<string, number | null>
  /** Channels to notify after the commit. */
  channels: Set<string>
  hasChanged(): boolean
  /** The first row of this kind that was written. */
  firstOf(kind: string | null): Entity | undefined
} {
  const written = new Map<string, number | null>()
  const channels = new Set<string>()
  const kept = new Map<string, Wanted>()
  const firstPut = new Map<string, Entity>()
  let hasPrivate = false
  const tables = sqlOf(db)
  const keep = (wanted: Wanted): void => {
    kept.set(rowKey(wanted.kind, wanted.id), wanted)
    const first = firstPut.get(wanted.kind)
    if (wanted.entity && (!first || first.id === wanted.id)) firstPut.set(wanted.kind, wanted.entity)
  }
  /** Rows as they were when they were locked. An entry is dropped once this transaction writes the row. */
  const locked = new Map<string, Entity | null>()
  const flush = async (): Promise<void> => {
    // a row that is written without being read may also be expected in a certain state
    for (const [key, { kind, id }] of kept)
      if (isExpected(kind, id) && !locked.has(key) && !written.has(key)) await lockRow(kind, id)
    const wanted = [...kept.values()]
    kept.clear()
    for (const [key, revision] of await writeRows(db, kinds, wanted, { locked })) written.set(key, revision)
    for (const { kind, id } of wanted) locked.delete(rowKey(kind, id))
  }
  async function lockRow(kind: string, id: string): Promise<Entity | null> {
    const row = await db
      .selectFrom('resource')
      .select(['body', 'revision'])
      .where('kind', '=', kind)
      .where('id', '=', storable(id))
      .forUpdate()
      .executeTakeFirst()
    if (row && !written.has(rowKey(kind, id))) requireExpected(kind, id, row.revision)
    await requireUnlocked(db, kind, id)
    locked.set(rowKey(kind, id), row ? structuredClone(row.body) : null)
    return row?.body ?? null
  }
  async function read<Row extends Entity>(kind: string, id: string, lock: boolean): Promise<Row | null> {
    const own = kept.get(rowKey(kind, id))
    if (lock) {
      const row = await lockRow(kind, id)
      return (own ? structuredClone(own.entity) : row) as Row | null
    }
    if (own) return structuredClone(own.entity) as Row | null
    const query = db.selectFrom('resource').select('body').where('kind', '=', kind).where('id', '=', storable(id))
    return ((await query.executeTakeFirst())?.body ?? null) as Row | null
  }

  async function findAfter<Row extends Entity>(
    kind: string,
    where: Record<string, FieldMatch>,
    after: string,
    limit: number,
  ): Promise<Row[]> {
    const conditions = Object.entries(where).map(([path, value]) => equals(path, value))
    const narrow = narrowed(kinds.get(kind), where)
    if (narrow) conditions.push(narrow)
    if (after !== '') conditions.push(sql`id > ${after}`)
    const { rows } = await sql<{ body: Row }>`
      select body from resource where ${sql.join([sql`kind = ${kind}`, ...conditions], sql` and `)}
      order by id limit ${limit}`.execute(db)
    return rows.map(({ body }) => body)
  }

  const records: RecordsTransaction = {
    lock: (kind, id) => read(kind, id, true),
    get: (kind, id) => read(kind, id, false),
    async find<Row extends Entity>(kind: string, where: Record<string, FieldMatch>, limit = Infinity) {
      await flush()
      const found: Row[] = []
      for (let after = ''; found.length < limit;) {
        const page = await findAfter<Row>(kind, where, after, Math.min(limit - found.length, FOUND_AT_ONCE))
        found.push(...page)
        if (page.length < FOUND_AT_ONCE) break
        if (found.length >= MOST_FOUND) throw new Error(`more than ${MOST_FOUND} rows of ${kind} were found`)
        after = page[page.length - 1]!.id
      }
      return found
    },
    async put(kind, entity) {
      if (!kinds.has(kind)) throw new Error(`unknown kind "${kind}"`)
      keep({ kind, id: entity.id, entity: structuredClone(entity), source })
    },
    async remove(kind, id) {
      const known = [...kinds.values()].map((it) => it.kind)
      for (const part of cascadingKinds(kind, known))
        for (const row of await records.find(part.name, { [part.field]: id })) await records.remove(part.name, row.id)
      keep({ kind, id, entity: null, source })
    },
    async getPrivate<Data>(kind: string, id: string) {
      const row = await db
        .selectFrom('private_record')
        .select('data')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .executeTakeFirst()
      return (row?.data ?? null) as Data | null
    },
    async putPrivate(kind, id, data) {
      hasPrivate = true
      const text = JSON.stringify(storable(data))
      await db
        .insertInto('private_record')
        .values({ kind, id, data: text })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ data: text }))
        .execute()
    },
    async removePrivate(kind, id) {
      hasPrivate = true
      await db.deleteFrom('private_record').where('kind', '=', kind).where('id', '=', id).execute()
    },
    async exclusive(key) {
      await sql`select pg_advisory_xact_lock(7206, hashtext(${key}))`.execute(db)
    },
    async sum(kind, whose, path) {
      await flush()
      const columns = kinds.get(kind)
      if (!columns) throw new Error(`unknown kind "${kind}"`)
      const column = columns.columns.find((it) => it.type === 'number' && it.path === path)
      if (path !== undefined && !column) throw new Error(`${kind} declares no figure ${path} to sum`)
      const figure = column ? sql`sum(${sql.id(column.name)})` : sql`count(*)`
      const [owner] = Object.entries(whose ?? {})
      const ofOwner = owner ? sql`where ${sql.id(owner[0])} = ${owner[1]}` : sql``
      const { rows } = await sql<{ sum: number | null }>`
        select ${figure}::double precision as sum from ${sql.id(columns.table)} ${ofOwner}`.execute(db)
      return rows[0]?.sum ?? 0
    },
    startJob(job) {
      channels.add(JOBS_CHANNEL)
      // the server runs all jobs, whichever source started them
      return startJob(db, (task) => keep({ kind: 'task', id: task.id, entity: task, source: SERVER }), job)
    },
    async wakeJobs(kind, id) {
      if (await wakeJobs(db, { kind, id })) channels.add(JOBS_CHANNEL)
    },
  }
  const own: Sql = {
    ...tables,
    query(text, values) {
      hasPrivate = true
      return tables.query(text, values)
    },
  }
  const hasChanged = () => written.size > 0 || channels.size > 0 || hasPrivate
  const firstOf = (kind: string | null) => (kind === null ? undefined : firstPut.get(kind))
  return { records, sql: own, flush, written, channels, hasChanged, firstOf }
}

const wantedMembers = (value: Extract<FieldMatch, object>): readonly string[] =>
  'has' in value ? [value.has] : value.hasAny

function equals(path: string, value: FieldMatch) {
  if (typeof value === 'object' && value !== null) {
    return sql`body #> ${path.split('.')}::text[] ?| ${wantedMembers(value).map((text) => storable(text))}::text[]`
  }
  if (path === 'id' || path === 'project_id' || path === 'domain_id' || path === 'user_id') {
    return value === null ? sql`${sql.id(path)} is null` : sql`${sql.id(path)} = ${String(value)}`
  }
  const at = sql`body #> ${path.split('.')}::text[]`
  if (value === null) return sql`coalesce(${at}, 'null'::jsonb) = 'null'::jsonb`
  return sql`${at} = ${JSON.stringify(storable(value))}::jsonb`
}

/** Condition on the side table for the paths that have a column. It avoids reading the bodies of other rows. */
function narrowed(columns: KindColumns | undefined, where: Record<string, FieldMatch>) {
  if (!columns) return null
  const known = Object.entries(where).flatMap(([path, value]) => {
    if (typeof value === 'object' && value !== null) {
      const column = columns.columns.find((it) => it.path === path && it.type === 'tags')
      return column
        ? [sql`${sql.id(column.name)} && ${wantedMembers(value).map((text) => cut(storable(text)))}::text[]`]
        : []
    }
    const column = columns.columns.find((it) => it.path === path && it.type === 'text')
    return column && typeof value === 'string' ? [sql`${sql.id(column.name)} = ${cut(storable(value))}`] : []
  })
  return known.length === 0
    ? null
    : sql`id in (select id from ${sql.id(columns.table)} where ${sql.join(known, sql` and `)})`
}
