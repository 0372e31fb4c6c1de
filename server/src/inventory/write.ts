import { isDeepStrictEqual } from 'node:util'
import { isLockable } from '@mainstay/contract/core/deletion-locks'
import { valueAt, type Kind } from '@mainstay/contract/core/kind'
import { EVERYBODY } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import { locksOf, withLock } from './deletion-locks'
import { columnsRow, deriveOf, upsertColumns } from './kind-tables'
import { rowKey } from './row-key'
import { wellFormed } from './well-formed'
import { ownedBy, type Owned } from './visibility'

/** A row to write, or to remove if `entity` is null. */
export interface Wanted {
  kind: string
  id: string
  entity: Entity | null
  /** Source to assign if the row is created: `server`, `embedded`, or `ENGINE:NAME` for a cloud. */
  source: string
}

interface Change {
  ord: number
  kind: string
  id: string
  op: 'put' | 'remove'
  owned: Owned
  before: Owned | null
  signature: string
}

interface WriteOptions {
  locked?: ReadonlyMap<string, Entity | null>
  takesOver?: boolean
}

/**
 * Writes rows, their columns and the change log in one statement. Skips unchanged rows. `locked` holds rows that this
 * transaction has already locked. With `takesOver`, existing rows are reassigned to the writing source; otherwise they
 * keep their source. Returns the new revisions by `rowKey`; null for removed rows.
 */
export async function writeRows(
  db: Transaction<Database>,
  kinds: ReadonlyMap<string, KindColumns>,
  wanted: readonly Wanted[],
  { locked = new Map(), takesOver = false }: WriteOptions = {},
): Promise<Map<string, number | null>> {
  if (wanted.length === 0) return new Map()
  const unknown = wanted.filter(({ kind, id }) => !locked.get(rowKey(kind, id)))
  const old = unknown.length > 0 ? await lockRows(db, unknown) : new Map<string, Entity>()
  for (const [key, entity] of locked) if (entity) old.set(key, entity)
  const locks = await locksOf(
    db,
    wanted.filter(({ kind }) => kinds.has(kind) && isLockable(kinds.get(kind)!.kind)),
  )
  const puts: Record<string, unknown>[] = []
  const removals: Wanted[] = []
  const sideRows = new Map<KindColumns, Record<string, unknown>[]>()
  const changes: Change[] = []
  for (const it of wanted) {
    const { kind: name, id, entity, source } = it
    const columns = kinds.get(name)
    if (!columns) throw new Error(`unknown kind "${name}"`)
    const { signature } = columns
    const was = old.get(rowKey(name, id)) ?? null
    const before = was && ownedBy(columns.kind, was)
    if (entity === null) {
      if (!was) continue
      changes.push({ ord: changes.length + 1, kind: name, id, op: 'remove', owned: before!, before: null, signature })
      removals.push(it)
      continue
    }
    const body = withLock(columns.kind, storable(entity), locks.get(rowKey(name, id)))
    if (was && isDeepStrictEqual(was, body)) continue
    const owned = ownedBy(columns.kind, body)
    const ord = changes.length + 1
    const changedOwner = isDeepStrictEqual(before, owned) ? null : before
    changes.push({ ord, kind: name, id, op: 'put', owned, before: changedOwner, signature })
    puts.push({ ord, source, ...rowOf(columns.kind, body, owned) })
    const row = columnsRow(columns, body)
    if (was && isDeepStrictEqual(columnsIfAny(columns, was), row)) continue
    const rows = sideRows.get(columns)
    if (rows) rows.push(row)
    else sideRows.set(columns, [row])
  }
  return changes.length > 0 ? writeAll(db, kinds, { puts, takesOver, removals, sideRows, changes }) : new Map()
}

/** Returns the columns of a stored row; null if the row, which an older declaration accepted, cannot be indexed. */
function columnsIfAny(columns: KindColumns, entity: Entity): Record<string, unknown> | null {
  try {
    return columnsRow(columns, entity)
  } catch {
    return null
  }
}

async function lockRows(db: Transaction<Database>, wanted: readonly Wanted[]): Promise<Map<string, Entity>> {
  const found = new Map<string, Entity>()
  // Always lock in the same order to avoid deadlocks, and one kind at a time, because PostgreSQL would scan the whole
  // table for pairs of kind and ID.
  for (const kind of [...new Set(wanted.map((it) => it.kind))].toSorted()) {
    const ids = wanted.filter((it) => it.kind === kind).map(({ id }) => id)
    const { rows } = await sql<{ id: string; body: Entity }>`
      select id, body from resource where kind = ${kind} and id = any(${ids}::text[]) order by id for update`.execute(
      db,
    )
    for (const { id, body } of rows) found.set(rowKey(kind, id), body)
  }
  return found
}

interface Writes {
  puts: Record<string, unknown>[]
  takesOver: boolean
  removals: Wanted[]
  sideRows: Map<KindColumns, Record<string, unknown>[]>
  changes: Change[]
}

async function writeAll(
  db: Transaction<Database>,
  kinds: ReadonlyMap<string, KindColumns>,
  { puts, takesOver, removals, sideRows, changes }: Writes,
): Promise<Map<string, number | null>> {
  const steps: RawBuilder<unknown>[] = [
    sql`numbers as (select ord, nextval('row_revision') as revision from generate_series(1, ${changes.length}::int) ord)`,
    sql`logged as (
      insert into change_unnumbered (row_revision, kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, at)
      select numbers.revision, kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, now()
      from json_to_recordset(${JSON.stringify(changes.map(loggedOf))}::json)
        as given (ord int, kind text, id text, op text, domain_id text, project_id text, user_id text, readers text[],
          shared boolean, before jsonb, signature text)
        join numbers using (ord))`,
  ]
  if (puts.length > 0) steps.push(upsertResources(puts, takesOver))
  for (const [columns, rows] of sideRows)
    steps.push(sql`${sql.id(`put_${columns.kind.name}`)} as (${upsertColumns(columns, rows)})`)
  for (const name of new Set(removals.map(({ kind }) => kind))) {
    const ids = removals.filter(({ kind }) => kind === name).map(({ id }) => id)
    steps.push(
      sql`${sql.id(`gone_${name}`)} as (delete from resource where kind = ${name} and id = any(${ids}::text[]))`,
    )
    const { table } = kinds.get(name)!
    steps.push(sql`${sql.id(`out_${name}`)} as (delete from ${sql.table(table)} where id = any(${ids}::text[]))`)
  }
  const { rows } = await sql<{ ord: number; revision: number }>`
    with ${sql.join(steps, sql`, `)}
    select ord, revision from numbers`.execute(db)
  const given = new Map(rows.map(({ ord, revision }) => [ord, revision]))
  return new Map(changes.map(({ ord, kind, id, op }) => [rowKey(kind, id), op === 'put' ? given.get(ord)! : null]))
}

/** Servers running the previous version do not know readers, only whether everyone can see a row. */
const withShared = (owned: Owned) => ({ ...owned, shared: owned.readers.includes(EVERYBODY) })
const loggedOf = ({ owned, before, ...it }: Change) => ({
  ...it,
  ...withShared(owned),
  before: before && withShared(before),
})

function upsertResources(puts: Record<string, unknown>[], takesOver: boolean): RawBuilder<unknown> {
  return sql`stored as (
    insert into resource (kind, id, source, domain_id, project_id, user_id, name, status, shared, created_at, updated_at, revision, body, derived)
    select kind, id, source, domain_id, project_id, user_id, name, status, shared, created_at, updated_at, revision, body, derived
    from json_to_recordset(${JSON.stringify(puts)}::json) as given (
      ord int, kind text, id text, source text, domain_id text, project_id text, user_id text, name text, status text,
      shared boolean, created_at timestamptz, updated_at timestamptz, body jsonb, derived jsonb)
      join numbers using (ord)
    on conflict (kind, id) do update set
      source = ${takesOver ? sql`excluded.source` : sql`coalesce(resource.source, excluded.source)`},
      domain_id = excluded.domain_id, project_id = excluded.project_id, user_id = excluded.user_id,
      name = excluded.name, status = excluded.status, shared = excluded.shared, created_at = excluded.created_at,
      updated_at = excluded.updated_at, revision = excluded.revision, body = excluded.body, derived = excluded.derived)`
}

function rowOf(kind: Kind, body: Entity, owned: Owned): Record<string, unknown> {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const time = (...names: string[]): string | null => {
    const found = text(names.map((name) => body[name]).find((value) => value !== undefined))
    return found !== null && Number.isFinite(Date.parse(found)) ? new Date(found).toISOString() : null
  }
  return {
    kind: kind.name,
    id: body.id,
    ...withShared(owned),
    name: text(body['name']),
    status: kind.status === undefined ? null : text(valueAt(body, kind.status)),
    created_at: time('created_at', 'created'),
    updated_at: time('updated_at', 'updated'),
    body,
    derived: deriveOf(kind, body),
  }
}

/**
 * The value as the database would return it: without what JSON drops and without characters that jsonb cannot store.
 */
export function storable<Value>(value: Value): Value {
  const text = JSON.stringify(value)
  const clean = /\\u(0000|d[89a-f])/i.test(text)
  return JSON.parse(
    text,
    clean ? (_, item: unknown) => (typeof item === 'string' ? cleanText(item) : item) : undefined,
  ) as Value
}

const cleanText = (text: string): string => wellFormed(text).replaceAll('\0', '\uFFFD')
