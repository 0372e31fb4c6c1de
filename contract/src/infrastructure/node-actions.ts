import { says, type RuleText } from '../core/said'
import type { Node } from './nodes'

/* Which actions on nodes are refused now, and why. The server refuses by these rules, and the console shows them. */

/** A task that is changing the node. */
const whyBusy = ({ host, tasks }: Pick<Node, 'host' | 'tasks'>): RuleText | null =>
  tasks.length > 0 ? says('infrastructure.node_busy', { host }) : null

/** Why no registered host stands behind the node. Only the hosts of such nodes are deleted and installed again. */
const whyNotRegistered = ({ host, link: { by } }: Pick<Node, 'host' | 'link'>): RuleText | null => {
  if (by === 'ssh') return null
  return by === 'local'
    ? says('infrastructure.node_is_here', { host })
    : says('infrastructure.node_of_engine', { host })
}

/** Why a node cannot be deleted now; null if it can. Only nodes that are unassigned or offline can be. */
export function whyNotDeleted(node: Pick<Node, 'host' | 'link' | 'tasks' | 'is_assigned' | 'is_online'>) {
  const { host, is_assigned, is_online } = node
  const isInUse = is_assigned && is_online
  return whyNotRegistered(node) ?? (isInUse ? says('infrastructure.node_assigned', { host }) : whyBusy(node))
}

type Reinstalled = Pick<Node, 'host' | 'link' | 'tasks' | 'is_assigned' | 'is_online' | 'maintenance'>

/** Why the host of a node cannot be installed again now; null if it can. */
export function whyNotReinstalled(node: Reinstalled): RuleText | null {
  const { host, is_assigned, is_online, maintenance } = node
  const isInUse = is_assigned && is_online && !maintenance
  return whyNotRegistered(node) ?? (isInUse ? says('infrastructure.node_not_ready', { host }) : whyBusy(node))
}

type Maintained = Pick<Node, 'host' | 'tasks' | 'activity' | 'is_online' | 'maintenance'>

/** Why the maintenance of a node can neither begin nor end now: something else is changing the node. */
function whyOccupied(node: Maintained): RuleText | null {
  const { host, activity } = node
  if (activity === 'installing') return whyBusy(node) ?? says('infrastructure.node_installing', { host })
  return activity ? says('infrastructure.node_busy', { host }) : whyBusy(node)
}

/** Why a node cannot enter maintenance now; null if it can. It can enter again after it did not succeed. */
export function whyNoMaintenance(node: Maintained): RuleText | null {
  const { host, is_online, maintenance } = node
  const occupied = whyOccupied(node)
  if (occupied) return occupied
  if (!is_online) return says('infrastructure.node_offline', { host })
  return maintenance && maintenance.state !== 'suspend_incomplete'
    ? says('infrastructure.node_in_maintenance', { host })
    : null
}

/** Why a node cannot leave maintenance now; null if it can. */
export function whyNotLeaving(node: Maintained): RuleText | null {
  const { host, maintenance } = node
  return whyOccupied(node) ?? (maintenance ? null : says('infrastructure.node_not_in_maintenance', { host }))
}

/** Why a node can neither join the cluster nor leave it: the engine runs on one host, or the cloud decides. */
export function whyMembershipIsFixed(
  { host, is_assigned }: Pick<Node, 'host' | 'is_assigned'>,
  hasCloud: boolean,
): RuleText {
  if (!hasCloud) return says('infrastructure.engine_one_node', { host })
  return is_assigned
    ? says('infrastructure.node_of_engine', { host })
    : says('infrastructure.node_not_of_cloud', { host })
}
