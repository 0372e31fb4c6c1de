import * as z from 'zod'

/** A message of the error catalogue that is not an error: key, values and the English text. */
export const Statement = z.object({
  key: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  message: z.string(),
})
export type Statement = z.infer<typeof Statement>

/** Stage of a node's maintenance. */
export const MaintenanceState = z.enum([
  'suspending',
  'suspended',
  'resuming',
  'suspend_incomplete',
  'resume_incomplete',
])
export type MaintenanceState = z.infer<typeof MaintenanceState>

/**
 * Displayed status of a node (S2§4). `suspending` and `resuming`: the node is entering or leaving maintenance. The
 * incomplete forms mean that this failed.
 */
export const NodeStatus = z.enum([
  'healthy',
  'failed',
  'unassigned',
  'in_progress',
  'installing',
  'releasing',
  'recovering',
  'recovery_failed',
  'maintenance',
  'suspending',
  'resuming',
  'suspend_incomplete',
  'resume_incomplete',
  'offline',
])
export type NodeStatus = z.infer<typeof NodeStatus>

/** Conditions that determine the status of a node. */
export interface NodeCondition {
  is_online: boolean
  is_assigned: boolean
  recovery: { state: 'running' | 'failed' } | null
  maintenance: { state: MaintenanceState } | null
  /** Type of the task that is changing the node as a whole. */
  activity: 'installing' | 'releasing' | 'in_progress' | null
  services: readonly { status: string }[]
}

/** Returns the status of a node. The first condition that applies determines it (product notes 08 C1). */
export function nodeStatus(node: NodeCondition): NodeStatus {
  const { is_online, is_assigned, recovery, maintenance, activity, services } = node
  if (!is_online) return 'offline'
  if (recovery) return recovery.state === 'failed' ? 'recovery_failed' : 'recovering'
  if (activity === 'installing') return 'installing'
  if (maintenance) return maintenance.state === 'suspended' ? 'maintenance' : maintenance.state
  if (activity) return activity
  if (!is_assigned) return 'unassigned'
  return services.some(({ status }) => status === 'failed') ? 'failed' : 'healthy'
}
