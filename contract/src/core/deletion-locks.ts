import * as z from 'zod'
import { update } from './endpoint'
import type { Kind } from './kind'
import { isVisible, NOT_VISIBLE, Time } from './names'
import { Problem } from './problems'

/** Who has locked an object against deletion, when, and why. `by`: the name of the user. */
export const DeletionLock = z.object({ by: z.string(), at: Time, reason: z.string().nullable() })
export type DeletionLock = z.infer<typeof DeletionLock>

/** The most characters of a reason. */
export const MAX_LOCK_REASON = 255

export const DeletionLockDraft = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .max(MAX_LOCK_REASON, `Use at most ${MAX_LOCK_REASON} characters`)
      .regex(isVisible, NOT_VISIBLE)
      .optional()
      .describe('Why; told to whoever tries to delete it'),
  })
  .default({})
  .meta({ examples: [{ reason: 'The shop runs on it' }] })
export type DeletionLockDraft = z.infer<typeof DeletionLockDraft>

/**
 * Calls that lock a row against deletion and remove the lock. A kind has them whose entity has the field `deletion_lock`;
 * the server keeps the locks, whichever engine has the rows.
 */
export const deletionLockCalls = <Entity extends z.ZodObject, const RowPath extends `/${string}`>(
  { entity, permissions: { item } }: Pick<Kind<Entity>, 'entity' | 'permissions'>,
  { rowPath, one }: { rowPath: RowPath; one: string },
) => ({
  lock: {
    verb: 'PUT' as const,
    path: `${rowPath}/deletion-lock` as const,
    needs: update(item),
    summary: `Lock ${one} against deletion, until the lock is removed`,
    body: DeletionLockDraft,
    reply: entity,
  },
  unlock: {
    verb: 'DELETE' as const,
    path: `${rowPath}/deletion-lock` as const,
    needs: update(item),
    summary: `Remove the lock against deletion of ${one}`,
    reply: entity,
  },
})

/** Whether rows of a kind can be locked against deletion. */
export const isLockable = ({ entity }: Pick<Kind, 'entity'>): boolean => 'deletion_lock' in entity.shape

/** A row that is locked. */
export interface LockedRow {
  kind: string
  id: string
  name: string
  deletion_lock: DeletionLock
}

const nouns: Readonly<Record<string, string>> = { server: 'virtual machine', volume: 'volume' }

/** "2026-11-23 10:00 UTC" */
const minuteOf = (at: string): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const sentenceOf = ({ kind, name, deletion_lock: { by, at, reason } }: LockedRow): string =>
  `The ${nouns[kind] ?? kind} "${name}" is locked against deletion by ${by} since ${minuteOf(at)}` +
  (reason === null ? '.' : `, with the reason "${reason}".`)

/** Refuses a deletion: which rows that would go are locked, who locked them and when, and what to do next. */
export function deletionLocked(rows: readonly LockedRow[], askedFor: string): Problem {
  const advice = rows.every(({ id }) => id === askedFor)
    ? 'Remove the lock, then delete it.'
    : 'Remove the locks, or keep what is locked.'
  const locked = rows.map(({ kind, id, name, deletion_lock }) => ({ kind, id, name, ...deletion_lock }))
  return new Problem('deletion_locked', [...rows.map(sentenceOf), advice].join(' '), { data: { locked } })
}
