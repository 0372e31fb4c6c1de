import { changedMeanwhile, withExpectedRow, type ExpectedRow } from '../inventory/row-revisions'
import type { Tools } from '../tools'
import { isUnsafe } from './callers'
import { revisionsOf } from './etag'
import type { LooseCall, Served } from './serve'

/**
 * Result of a call, and the revision of the returned row; null if the result is not a row or its revision is unknown.
 */
interface Handled {
  result: unknown
  revision: number | null
}

/**
 * Runs the handler of a call. For a change with `If-Match`, throws a `changed_meanwhile` error if the row is no longer
 * as the caller saw it.
 */
export async function handleExpecting(
  one: Served,
  call: LooseCall,
  ifMatch: string | undefined,
  tools: Tools,
): Promise<Handled> {
  const { kind, endpoint } = one
  const run = async (): Promise<unknown> => one.handle(call, tools)
  if (!kind || endpoint.bytes === 'out') return { result: await run(), revision: null }
  const id = call.params['id']
  if (isUnsafe(endpoint.verb)) {
    const { result, revisionOf } = await withExpectedRow(await expectedRow(one, call, ifMatch, tools), run)
    const resultId = idOf(result)
    return { result, revision: resultId === null ? null : revisionOf(kind.name, resultId) }
  }
  // read the revision before the row: an ETag may be older than its row, but never newer
  const known = id === undefined ? null : await tools.inventory.revisionOf(kind, id)
  const result = await run()
  return { result, revision: idOf(result) === id ? known : null }
}

/**
 * The revisions of the row that a change accepts; null for any. Throws a `changed_meanwhile` error if the row has
 * already changed; for rows in a cloud, no other check is possible. Our own rows are checked again when they are
 * written.
 */
async function expectedRow(
  { kind, endpoint }: Served,
  call: LooseCall,
  ifMatch: string | undefined,
  { inventory }: Tools,
): Promise<ExpectedRow | null> {
  const id = call.params['id']
  if (ifMatch === undefined || !isUnsafe(endpoint.verb) || !kind || !id || !call.scope) return null
  // a row that the caller must not see counts as not found
  await inventory.view(kind, call.scope, id)
  const revisions = revisionsOf(ifMatch)
  if (revisions === null) return null
  const now = await inventory.revisionOf(kind, id)
  if (now === null || !revisions.has(now)) throw changedMeanwhile()
  return { kind: kind.name, id, revisions }
}

function idOf(result: unknown): string | null {
  const id = (result as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : null
}
