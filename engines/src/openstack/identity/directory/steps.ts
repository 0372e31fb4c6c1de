import { Problem, problem } from '@mainstay/contract/core/problems'

/** Does one act; `undo` takes it back, should a later one fail. */
export type Step = <Result>(act: () => Promise<Result>, undo?: (result: Result) => Promise<unknown>) => Promise<Result>

/**
 * Acts at a cloud that knows no transaction. When one of them fails, those before it are taken back, the last one first; what
 * cannot be taken back is told with the failure.
 */
export async function inSteps<Result>(work: (step: Step) => Promise<Result>): Promise<Result> {
  const undoing: (() => Promise<unknown>)[] = []
  const step: Step = async (act, undo) => {
    const result = await act()
    if (undo) undoing.push(() => undo(result))
    return result
  }
  try {
    return await work(step)
  } catch (error) {
    let left = 0
    for (const undo of undoing.toReversed()) await undo().catch(() => (left += 1))
    if (left === 0 || !(error instanceof Problem)) throw error
    const { code, data, message: reason } = error
    throw problem('identity.done_in_part', { reason }, { code, data, cause: error })
  }
}
