import { says, type RuleText } from '../core/said'
import { computeNodeInProgress, type NodeParts } from './node-rules'

const isInRecovery = ({ state }: Pick<NodeParts, 'state'>) => state === 'recovering' || state === 'recovery_failed'

/** Returns why a node cannot be released from compute, or null if it can (S2§4). */
export function whyNodeStays(node: NodeParts, machines: number): RuleText | null {
  const { host, state } = node
  if (computeNodeInProgress(node)) return says('compute.node_in_progress', { node: host, state })
  if (isInRecovery(node)) return says('compute.node_in_recovery', { node: host })
  if (state === 'released') return says('compute.node_already_released', { node: host })
  if (machines > 0) return says('compute.node_has_machines', { node: host, count: machines })
  return null
}

/**
 * Returns why a node cannot be fenced, or null if it can. A released node runs no virtual machines and does not need
 * fencing. `stuck`: number of virtual machines on it that cannot run elsewhere.
 */
export function whyNodeCannotBeFenced(node: Pick<NodeParts, 'host' | 'state'>, stuck: number): RuleText | null {
  const { host, state } = node
  if (computeNodeInProgress(node)) return says('compute.node_in_progress', { node: host, state })
  if (state === 'released') return says('compute.node_released', { node: host })
  return stuck > 0 ? says('compute.node_fence_has_machines', { node: host, count: stuck }) : null
}

/** Returns why a node cannot be added to compute, or null if it can. */
export function whyNodeCannotJoin(node: NodeParts): RuleText | null {
  const { host, state } = node
  if (computeNodeInProgress(node)) return says('compute.node_in_progress', { node: host, state })
  return state === 'released' ? null : says('compute.node_already_joined', { node: host })
}
