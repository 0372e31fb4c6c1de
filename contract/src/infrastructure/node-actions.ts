import { says, type RuleText } from '../core/said'
import type { Node } from './nodes'

/*
 * Rules that decide whether an action on a node is refused at the moment, and why. The server enforces these rules, and
 * the console shows the reasons.
 */

/** Returns the reason if a task is changing the node; otherwise null. */
const whyBusy = ({ host, tasks }: Pick<Node, 'host' | 'tasks'>): RuleText | null =>
  tasks.length > 0 ? says('infrastructure.node_busy', { host }) : null

/**
 * Returns the reason if the node is not a registered host; otherwise null. Only registered hosts can be deleted and
 * reinstalled.
 */
const whyNotRegistered = ({ host, link: { by } }: Pick<Node, 'host' | 'link'>): RuleText | null => {
  if (by === 'ssh') return null
  return by === 'local'
    ? says('infrastructure.node_is_here', { host })
    : says('infrastructure.node_of_engine', { host })
}

/** Returns why a node cannot be deleted now; null if it can. Only unassigned and offline nodes can be deleted. */
export function whyNotDeleted(node: Pick<Node, 'host' | 'link' | 'tasks' | 'is_assigned' | 'is_online'>) {
  const { host, is_assigned, is_online } = node
  const isInUse = is_assigned && is_online
  return whyNotRegistered(node) ?? (isInUse ? says('infrastructure.node_assigned', { host }) : whyBusy(node))
}

type Reinstalled = Pick<Node, 'host' | 'link' | 'tasks' | 'is_assigned' | 'is_online' | 'maintenance'>

/** Returns why the host of a node cannot be reinstalled now; null if it can. */
export function whyNotReinstalled(node: Reinstalled): RuleText | null {
  const { host, is_assigned, is_online, maintenance } = node
  const isInUse = is_assigned && is_online && !maintenance
  return whyNotRegistered(node) ?? (isInUse ? says('infrastructure.node_not_ready', { host }) : whyBusy(node))
}

type Maintained = Pick<Node, 'host' | 'tasks' | 'activity' | 'is_online' | 'maintenance'>

/** Returns why a node can neither enter nor leave maintenance because something else is changing it; otherwise null. */
function whyOccupied(node: Maintained): RuleText | null {
  const { host, activity } = node
  if (activity === 'installing') return whyBusy(node) ?? says('infrastructure.node_installing', { host })
  return activity ? says('infrastructure.node_busy', { host }) : whyBusy(node)
}

/** Returns why a node cannot enter maintenance now; null if it can. A failed attempt can be repeated. */
export function whyNoMaintenance(node: Maintained): RuleText | null {
  const { host, is_online, maintenance } = node
  const occupied = whyOccupied(node)
  if (occupied) return occupied
  if (!is_online) return says('infrastructure.node_offline', { host })
  return maintenance && maintenance.state !== 'suspend_incomplete'
    ? says('infrastructure.node_in_maintenance', { host })
    : null
}

/** Returns why a node cannot leave maintenance now; null if it can. */
export function whyNotLeaving(node: Maintained): RuleText | null {
  const { host, maintenance } = node
  return whyOccupied(node) ?? (maintenance ? null : says('infrastructure.node_not_in_maintenance', { host }))
}

/**
 * Returns why a node can neither join nor leave the cluster: either the engine runs on a single host, or the cloud
 * manages the membership. Null if the node can.
 */
export function whyMembershipIsFixed(
  { host, is_assigned }: Pick<Node, 'host' | 'is_assigned'>,
  hasCloud: boolean,
): RuleText {
  if (!hasCloud) return says('infrastructure.engine_one_node', { host })
  return is_assigned
    ? says('infrastructure.node_of_engine', { host })
    : says('infrastructure.node_not_of_cloud', { host })
}
