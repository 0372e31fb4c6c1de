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

/** The fields of a compute node that determine its status. */
export interface NodeParts {
  host: string
  state: ComputeNodeState
  fenced_reason: string | null
  in_maintenance: boolean
}

export type ComputeNodeStatus = Exclude<ComputeNodeState, 'down'> | 'offline' | 'maintenance' | 'fenced'

/**
 * Returns the displayed status (S2§4): `offline` if the node is not online, otherwise recovery, maintenance, or the
 * reported state. `fenced`: the node is online but must not run virtual machines.
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

export const clusterStatuses = ['active', 'absent', 'deploying', 'deleting'] as const
export type ClusterStatus = (typeof clusterStatuses)[number]

/** Returns the status of the compute cluster. The cluster exists as long as it has at least one node. */
export function clusterStatus(nodes: readonly Pick<NodeParts, 'state'>[]): ClusterStatus {
  const has = (state: ComputeNodeState) => nodes.some((node) => node.state === state)
  if (nodes.some(({ state }) => !['joining', 'releasing', 'released'].includes(state))) return 'active'
  if (has('joining')) return 'deploying'
  if (has('releasing')) return 'deleting'
  return nodes.length === 0 ? 'active' : 'absent'
}
