import type { ComputeNodeState } from '@mainstay/contract/compute/node-rules'

/*
 * Nova stores the reason for disabling a compute service as a single text. The states of our nodes are stored as marks
 * in this text, so that the cloud remains their only record and all servers and other clients see the same states.
 */

const prefix = 'mainstay: '
const states = ['joining', 'releasing', 'released'] as const
type MarkedState = (typeof states)[number] & ComputeNodeState

export const markOf = (state: MarkedState): string => prefix + state
export const fenceMark = (reason: string): string => `${prefix}fenced: ${reason}`

/** Parses the text of a disabled service. A service that another client has disabled counts as fenced. */
export function meaningOf(text: string | null): { state: MarkedState | null; fenced: string | null } {
  const state = states.find((it) => text === markOf(it)) ?? null
  if (state) return { state, fenced: null }
  const fence = fenceMark('')
  return { state: null, fenced: text?.startsWith(fence) ? text.slice(fence.length) : text || 'Disabled in the cloud' }
}
