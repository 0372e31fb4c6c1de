import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'
import { rowKey } from './row-key'

/*
 * A caller may say which state of a row a command is meant for (`If-Match`). Between looking and writing others write
 * too: commands without such a wish, jobs, the feed. So the revision is compared where the row is locked to be
 * written. It travels with the call and not through every command, so that none can forget it.
 */

/** A row that must still be in one of these states. */
export interface ExpectedRow {
  kind: string
  id: string
  revisions: ReadonlySet<number>
}

interface CallRevisions {
  expected: ExpectedRow | null
  /** Of rows that the call has written, by `rowKey`; null of those it has removed. */
  written: Map<string, number | null>
  /** Of these, what was written by more than one transaction: nobody knows which of the states was answered. */
  rewritten: Set<string>
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    revisions?: CallRevisions
  }
}

/**
 * Runs a command. Until it has written the expected row, its transactions throw `changed_meanwhile` instead of changing
 * that row in another state. `revisionOf` answers the revision that it has given to a row, null
 * where it has given none, or several.
 */
export async function withExpectedRow<Result>(
  expected: ExpectedRow | null,
  command: () => Promise<Result>,
): Promise<{ result: Result; revisionOf: (kind: string, id: string) => number | null }> {
  const call: CallRevisions = { expected, written: new Map(), rewritten: new Set() }
  try {
    const result = await withinCall({ revisions: call }, command)
    return {
      result,
      revisionOf(kind, id) {
        const key = rowKey(kind, id)
        return call.rewritten.has(key) ? null : (call.written.get(key) ?? null)
      },
    }
  } finally {
    // what the command left running acts for nobody any more
    call.expected = null
  }
}

export const changedMeanwhile = (): Problem => problem('core.changed_meanwhile')

/** Whether the call under way expects something of this row. */
export function isExpected(kind: string, id: string): boolean {
  const expected = currentCall().revisions?.expected
  return expected?.kind === kind && expected.id === id
}

/** Throws `changed_meanwhile` when the call under way is meant for another state of this row. */
export function requireExpected(kind: string, id: string, revision: number): void {
  const call = currentCall().revisions
  // what the command has begun goes on, whatever its own job does to the row meanwhile
  if (!call?.expected || !isExpected(kind, id) || call.written.has(rowKey(kind, id))) return
  if (!call.expected.revisions.has(revision)) throw changedMeanwhile()
}

/** Notes what a transaction of the call under way has committed. */
export function noteWritten(written: ReadonlyMap<string, number | null>): void {
  const call = currentCall().revisions
  if (!call) return
  for (const [key, revision] of written) {
    if (call.written.has(key)) call.rewritten.add(key)
    call.written.set(key, revision)
  }
}
