import { problem, type Problem } from '../core/problems'

/**
 * States of a compute node. `joining` and `releasing`: a task adds it to compute or removes it. `released`: the host is
 * known, but runs no virtual machines. `recovering` and `recovery_failed`: the virtual machines of a failed node are
 * being moved, or could not be moved.
 */
export const computeNodeStates = [
  'up',
  'down',
  'joining',
  'releasing',
  'released',
  'recovering',
  'recovery_failed',
] as const
export type ComputeNodeState = (typeof computeNodeStates)[number]

/** The parts of a compute node that decide its status. */
interface NodeParts {
  host: string
  state: ComputeNodeState
  fenced_reason: string | null
  in_maintenance: boolean
}

export type ComputeNodeStatus = Exclude<ComputeNodeState, 'down'> | 'offline' | 'maintenance' | 'fenced'

/**
 * The displayed status (S2§4): `offline` if the node is not online, otherwise recovery, maintenance, or the reported
 * state. A fenced node is up, but accepts nothing.
 */
export function computeNodeStatus({ state, fenced_reason, in_maintenance }: NodeParts): ComputeNodeStatus {
  if (state === 'down') return 'offline'
  if (state === 'recovering' || state === 'recovery_failed') return state
  if (in_maintenance) return 'maintenance'
  return state === 'up' && fenced_reason !== null ? 'fenced' : state
}

/** Whether a task is adding the node to compute or removing it (S2§4). */
export const computeNodeInProgress = ({ state }: Pick<NodeParts, 'state'>): boolean =>
  state === 'joining' || state === 'releasing'

const isInRecovery = ({ state }: Pick<NodeParts, 'state'>) => state === 'recovering' || state === 'recovery_failed'

/** Why a node cannot be released from compute; null if it can (S2§4). */
export function whyNodeStays(node: NodeParts, machines: number): Problem | null {
  const { host, state } = node
  if (computeNodeInProgress(node)) return problem('compute.node_in_progress', { node: host, state })
  if (isInRecovery(node)) return problem('compute.node_in_recovery', { node: host })
  if (state === 'released') return problem('compute.node_already_released', { node: host })
  if (machines > 0) return problem('compute.node_has_machines', { node: host, count: machines })
  return null
}

export const clusterStatuses = ['active', 'absent', 'deploying', 'deleting'] as const
export type ClusterStatus = (typeof clusterStatuses)[number]

/** The status of the compute cluster: it exists as long as a node is part of it. */
export function clusterStatus(nodes: readonly Pick<NodeParts, 'state'>[]): ClusterStatus {
  const has = (state: ComputeNodeState) => nodes.some((node) => node.state === state)
  if (nodes.some(({ state }) => !['joining', 'releasing', 'released'].includes(state))) return 'active'
  if (has('joining')) return 'deploying'
  if (has('releasing')) return 'deleting'
  return nodes.length === 0 ? 'active' : 'absent'
}

/** Why a node cannot be added to compute; null if it can. */
export function whyNodeCannotJoin(node: NodeParts): Problem | null {
  const { host, state } = node
  if (computeNodeInProgress(node)) return problem('compute.node_in_progress', { node: host, state })
  return state === 'released' ? null : problem('compute.node_already_joined', { node: host })
}
