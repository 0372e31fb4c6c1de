import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'
import { rowKey } from './row-key'

/*
 * With `If-Match`, a caller can name the state of the row to which a command applies. Other commands, jobs and the feed
 * may write between the check and the write, so the revision is compared when the row is locked for writing. The
 * expected revision is kept in the call context instead of being passed through every command, so that no command can
 * omit it.
 */

/** A row that must still have one of these revisions. */
export interface ExpectedRow {
  kind: string
  id: string
  revisions: ReadonlySet<number>
}

interface CallRevisions {
  expected: ExpectedRow | null
  /** Revisions of the rows that the call wrote, by `rowKey`; null for removed rows. */
  written: Map<string, number | null>
  /** Rows written by more than one transaction, for which it is unknown which state was returned. */
  rewritten: Set<string>
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    revisions?: CallRevisions
  }
}

/**
 * Runs a command. Until the command has written the expected row, its transactions throw `changed_meanwhile` if that
 * row is in any other state. `revisionOf` returns the revision that the command gave to a row, or null if it did not
 * write the row or wrote it more than once.
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
    // work that the command left running no longer acts for the caller
    call.expected = null
  }
}

export const changedMeanwhile = (): Problem => problem('core.changed_meanwhile')

/** Whether the current call expects this row to be in a certain state. */
export function isExpected(kind: string, id: string): boolean {
  const expected = currentCall().revisions?.expected
  return expected?.kind === kind && expected.id === id
}

/** Throws `changed_meanwhile` if the current call expects this row to be in another state. */
export function requireExpected(kind: string, id: string, revision: number): void {
  const call = currentCall().revisions
  // once the command has written the row, it continues even if its own job changes the row
  if (!call?.expected || !isExpected(kind, id) || call.written.has(rowKey(kind, id))) return
  if (!call.expected.revisions.has(revision)) throw changedMeanwhile()
}

/** Records what a transaction of the current call has committed. */
export function noteWritten(written: ReadonlyMap<string, number | null>): void {
  const call = currentCall().revisions
  if (!call) return
  for (const [key, revision] of written) {
    if (call.written.has(key)) call.rewritten.add(key)
    call.written.set(key, revision)
  }
}
