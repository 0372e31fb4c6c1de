import { Problem, problem } from '@mainstay/contract/core/problems'

/** Runs a step; `undo` reverts it if a later step fails. */
export type Step = <Result>(act: () => Promise<Result>, undo?: (result: Result) => Promise<unknown>) => Promise<Result>

/**
 * Runs steps that have no transaction. If a step fails, the previous ones are reverted in reverse order. The error
 * names everything that could not be reverted.
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
