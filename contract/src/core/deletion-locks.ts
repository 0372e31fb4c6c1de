import { says } from './said'
import * as z from 'zod'
import { update } from './endpoint'
import type { Kind } from './kind'
import { isVisible, NOT_VISIBLE, Time } from './names'
import { problem, type Problem } from './problems'

/** Who locked an object against deletion, when and why. `by` is the username. */
export const DeletionLock = z.object({ by: z.string(), at: Time, reason: z.string().nullable() })
export type DeletionLock = z.infer<typeof DeletionLock>

/** Maximum length of a reason. */
export const MAX_LOCK_REASON = 255

export const DeletionLockDraft = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .max(MAX_LOCK_REASON, says('core.too_long', { most: MAX_LOCK_REASON }))
      .regex(isVisible, NOT_VISIBLE)
      .optional()
      .describe('Reason for the lock. It is shown when someone tries to delete the object.'),
  })
  .default({})
  .meta({ examples: [{ reason: 'The web shop depends on it' }] })
export type DeletionLockDraft = z.infer<typeof DeletionLockDraft>

/**
 * Calls that set and remove a row's deletion lock, for every kind whose entity has a `deletion_lock` field. The server
 * stores the locks, regardless of the engine.
 */
export const deletionLockCalls = <Entity extends z.ZodObject, const RowPath extends `/${string}`>(
  { entity, permissions: { item } }: Pick<Kind<Entity>, 'entity' | 'permissions'>,
  { rowPath, one }: { rowPath: RowPath; one: string },
) => ({
  lock: {
    verb: 'PUT' as const,
    path: `${rowPath}/deletion-lock` as const,
    needs: update(item),
    summary: `Lock ${one} against deletion. It cannot be deleted until the lock is removed.`,
    body: DeletionLockDraft,
    reply: entity,
  },
  unlock: {
    verb: 'DELETE' as const,
    path: `${rowPath}/deletion-lock` as const,
    needs: update(item),
    summary: `Remove the deletion lock from ${one}`,
    reply: entity,
  },
})

/** Whether rows of a kind can be locked against deletion. */
export const isLockable = ({ entity }: Pick<Kind, 'entity'>): boolean => 'deletion_lock' in entity.shape

/** A row with a deletion lock. */
export interface LockedRow {
  kind: string
  id: string
  name: string
  deletion_lock: DeletionLock
}

/** Formats a time to the minute, for example "2026-11-23 10:00 UTC". */
const minuteOf = (at: string): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const yesNo = (is: boolean) => (is ? 'yes' : 'no')

/**
 * Returns the error for a deletion that includes locked rows. The message says which row is locked, by whom and since
 * when, and what to do next; `data.locked` lists all locked rows. Requires at least one row.
 */
export function deletionLocked(rows: readonly LockedRow[], askedFor: string): Problem {
  const [{ kind, name, deletion_lock: lock }] = rows as readonly [LockedRow]
  const values = {
    kind,
    name,
    by: lock.by,
    since: minuteOf(lock.at),
    has_reason: yesNo(lock.reason !== null),
    reason: lock.reason ?? '',
    others: rows.length - 1,
    is_own: yesNo(rows.every(({ id }) => id === askedFor)),
  }
  const locked = rows.map((row) => ({ kind: row.kind, id: row.id, name: row.name, ...row.deletion_lock }))
  return problem('core.deletion_locked', values, { data: { locked } })
}
