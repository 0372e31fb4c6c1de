import { deletionLocked, isLockable, type DeletionLock, type LockedRow } from '@mainstay/contract/core/deletion-locks'
import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Entity, RecordsTransaction } from '@mainstay/engines/ports/records'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Database } from '../store/schema'
import { rowKey } from './row-key'

/*
 * Deletion locks are kept in a separate table, so that an engine's reports about a row cannot remove them. Every write
 * of a locked row copies the lock into its entity.
 */

interface NamedRow {
  kind: string
  id: string
  name: string
}

/** Locks on the given rows, by `rowKey`. Rows without a lock are omitted. */
export async function locksOf(
  db: Kysely<Database>,
  rows: readonly Pick<NamedRow, 'kind' | 'id'>[],
): Promise<Map<string, DeletionLock>> {
  const found = new Map<string, DeletionLock>()
  for (const kind of new Set(rows.map((it) => it.kind))) {
    const ids = rows.filter((it) => it.kind === kind).map(({ id }) => id)
    const locks = await sql<{ id: string; by: string; at: Date; reason: string | null }>`
      select id, by, at, reason from deletion_lock where kind = ${kind} and id = any(${ids}::text[])`.execute(db)
    for (const { id, by, at, reason } of locks.rows) found.set(rowKey(kind, id), { by, at: at.toISOString(), reason })
  }
  return found
}

/** The entity with the given lock, or with no lock. */
export function withLock(kind: Kind, entity: Entity, lock: DeletionLock | undefined): Entity {
  if (!isLockable(kind)) return entity
  const { deletion_lock: _, ...rest } = entity
  return lock ? { ...rest, id: entity.id, deletion_lock: lock } : { ...rest, id: entity.id }
}

/** Rows that the current command deletes, and the row named in the request. */
interface Deletion {
  going: readonly NamedRow[]
  askedFor: string
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    deletion?: Deletion
  }
}

async function refuseLocked(db: Kysely<Database>, { going, askedFor }: Deletion): Promise<void> {
  const locks = await locksOf(db, going)
  const locked = going.flatMap((row): LockedRow[] => {
    const deletion_lock = locks.get(rowKey(row.kind, row.id))
    return deletion_lock ? [{ ...row, deletion_lock }] : []
  })
  if (locked.length > 0) throw deletionLocked(locked, askedFor)
}

/**
 * Runs a command that deletes rows. Throws `deletion_locked` before it starts if one of them is locked. The command's
 * transactions check again, so that a lock set after the start is respected even by engines that write to the index
 * themselves.
 */
export async function deletingRows<Result>(
  db: Kysely<Database>,
  deletion: Deletion,
  command: () => Promise<Result>,
): Promise<Result> {
  await refuseLocked(db, deletion)
  return withinCall({ deletion }, command)
}

/**
 * Throws `deletion_locked` if the current command deletes this row and the row has a deletion lock. Call this while the
 * row is locked for update.
 */
export async function requireUnlocked(db: Kysely<Database>, kind: string, id: string): Promise<void> {
  const { deletion } = currentCall()
  if (!deletion) return
  const going = deletion.going.filter((row) => row.kind === kind && row.id === id)
  await refuseLocked(db, { ...deletion, going })
}

/**
 * States of rows that are being deleted, or that are being created and will be deleted if that fails or is cancelled.
 */
const notYetOrNoMore: ReadonlySet<unknown> = new Set(['BUILD', 'creating', 'deleting'])

type WorkOnRow = (records: RecordsTransaction, db: Transaction<Database>, tables: Sql) => Promise<Entity>

/**
 * Sets the deletion lock on a row, or removes it if `wanted` is null. Returns the updated row. Throws `not_found`, or
 * `invalid_state` when locking a row that is being created or deleted.
 */
export async function setDeletionLock(
  transaction: (work: WorkOnRow) => Promise<Entity>,
  declared: Kind,
  id: string,
  wanted: Omit<DeletionLock, 'at'> | null,
): Promise<Entity> {
  const { name: kind } = declared
  return transaction(async (records, db, tables) => {
    const row = await records.lock(kind, id)
    if (!row) throw notFound()
    const { status, task_state } = row
    if (wanted && (notYetOrNoMore.has(status) || notYetOrNoMore.has(task_state)))
      throw problem('core.lock_busy', {}, { data: { status: String(status) } })
    if (wanted)
      await tables.query(
        `insert into deletion_lock (kind, id, by, reason) values ($1, $2, $3, $4)
          on conflict (kind, id) do update set by = excluded.by, at = excluded.at, reason = excluded.reason`,
        [kind, id, wanted.by, wanted.reason],
      )
    else await tables.query('delete from deletion_lock where kind = $1 and id = $2', [kind, id])
    await records.put(kind, row)
    const lock = (await locksOf(db, [{ kind, id }])).get(rowKey(kind, id))
    return withLock(declared, row, lock)
  })
}
