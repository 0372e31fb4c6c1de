import { BULK_AT_ONCE, MAX_BULK_CHECKED, type BulkCheck, type BulkRunDraft } from '@mainstay/contract/core/bulk-runs'
import { refusalOf } from '@mainstay/engines/ports/rehearsal'
import { readOwnCall } from '../../http/perform'
import type { CallRequest, Served } from '../../http/serve'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'
import { callOf, chooseObjects, type ChosenObject } from './choose-objects'

/** Time limit for a dry run. Objects that were not checked in time are counted as `unchecked`. */
const CHECK_MS = 10_000

/**
 * Predicts which calls of a run would be refused, by running each command up to the point where it would change
 * something.
 */
export async function checkRun(
  served: readonly Served[],
  { caller, body: draft, request }: { caller: SignedIn; body: BulkRunDraft; request: CallRequest },
  tools: Tools,
): Promise<BulkCheck> {
  const one = callOf(served, draft, caller)
  const objects = await chooseObjects(one, draft, caller, tools)
  const { origin, signal } = request

  const own = { body: draft.body, query: draft.query, address: origin.address, requestId: request.id, signal }
  const refusalFor = (object: ChosenObject) =>
    refusalOf(async () => {
      const call = readOwnCall(one, caller, { ...own, params: { id: object.id } })
      return one.handle(call, tools)
    })

  const deadline = performance.now() + CHECK_MS
  const data: BulkCheck['data'] = []
  const waiting = objects.slice(0, MAX_BULK_CHECKED).entries()
  const worker = async () => {
    for (const [index, object] of waiting) {
      if (signal.aborted || performance.now() > deadline) return
      const { id, name } = object
      data[index] = { id, name, refusal: await refusalFor(object) }
    }
  }
  await Promise.all(Array.from({ length: BULK_AT_ONCE }, worker))
  const checked = data.filter((it) => it !== undefined)
  return { count: objects.length, data: checked, unchecked: objects.length - checked.length }
}
