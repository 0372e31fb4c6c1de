import { changedMeanwhile, withExpectedRow, type ExpectedRow } from '../inventory/row-revisions'
import type { Tools } from '../tools'
import { isUnsafe } from './callers'
import { revisionsOf } from './etag'
import type { LooseCall, Served } from './serve'

/** What a call answers, and the revision of the row that it is; null where it is no row, or nobody knows which. */
interface Handled {
  result: unknown
  revision: number | null
}

/**
 * Does the work of a call. A change with `If-Match` throws `changed_meanwhile` when its row is not as the caller has seen
 * it.
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
  // before the row is read: a tag may be older than what it names, but never newer
  const known = id === undefined ? null : await tools.inventory.revisionOf(kind, id)
  const result = await run()
  return { result, revision: idOf(result) === id ? known : null }
}

/**
 * The state in which a change expects its row; null where any will do. Throws `changed_meanwhile` when it is another one
 * already: all that can be known beforehand of a cloud. Rows of our own are looked at once more where they are written.
 */
async function expectedRow(
  { kind, endpoint }: Served,
  call: LooseCall,
  ifMatch: string | undefined,
  { inventory }: Tools,
): Promise<ExpectedRow | null> {
  const id = call.params['id']
  if (ifMatch === undefined || !isUnsafe(endpoint.verb) || !kind || !id || !call.scope) return null
  // what the caller may not see is not found
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
