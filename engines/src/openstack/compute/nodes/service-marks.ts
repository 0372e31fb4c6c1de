import type { ComputeNodeState } from '@mainstay/contract/compute/node-rules'

/*
 * Nova stores why a compute service is disabled as one text. Our states of a node are marks in this text, so that the
 * cloud stays the only record of them: every server and every other client sees the same.
 */

const prefix = 'mainstay: '
const states = ['joining', 'releasing', 'released'] as const
type MarkedState = (typeof states)[number] & ComputeNodeState

export const markOf = (state: MarkedState): string => prefix + state
export const fenceMark = (reason: string): string => `${prefix}fenced: ${reason}`

/** What the text of a disabled service means. A service that another client has disabled counts as fenced. */
export function meaningOf(text: string | null): { state: MarkedState | null; fenced: string | null } {
  const state = states.find((it) => text === markOf(it)) ?? null
  if (state) return { state, fenced: null }
  const fence = fenceMark('')
  return { state: null, fenced: text?.startsWith(fence) ? text.slice(fence.length) : text || 'Disabled in the cloud' }
}
