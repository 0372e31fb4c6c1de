import { problem, problemOf, type Problem } from '@mainstay/contract/core/problems'
import type { RuleText } from '@mainstay/contract/core/said'
import { whyMembershipIsFixed } from '@mainstay/contract/infrastructure/node-actions'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import type { Hosts } from '@mainstay/engines/hosts/hosts'
import type { RecordsTransaction, Subject } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Transaction } from 'kysely'
import { readFrom } from '../../../http/serve'
import { hasJobs } from '../../../inventory/jobs'
import type { Database } from '../../../store/schema'
import type { Tools } from '../../../tools'

/** Returns the node that a call names by ID or host name. Throws `not_found`. */
export const nodeOf = (scope: Scope, id: string, tools: Tools): Promise<Node> =>
  readFrom<Node>(nodeKind).view({ scope, params: { id } }, tools)

export const subjectOf = ({ id, host }: Pick<Node, 'id' | 'host'>): Subject => ({ kind: 'node', id, name: host })

/** Throws the rule as a problem if it refuses an action; null means that the action is allowed. */
export function refuseBecause(rule: RuleText | null): void {
  if (rule !== null) throw problemOf(rule)
}

/** Throws if a task is already changing the node. */
export async function refuseBusy(db: Transaction<Database>, node: Node): Promise<void> {
  if (await hasJobs(db, subjectOf(node))) throw problem('infrastructure.node_busy', { host: node.host })
}

/** Locks the row of a node. Throws `not_found` if it was deleted in the meantime. */
export async function lockNode(tx: RecordsTransaction, { id }: Pick<Node, 'id'>): Promise<Node> {
  const node = await tx.lock<Node>('node', id)
  if (!node) throw problem('core.not_found')
  return node
}

/** Returns the reason why a node cannot be added to the cluster or removed from it. */
export const membershipIsFixed = ({ areas }: Pick<Tools, 'areas'>, node: Node): Problem =>
  problemOf(whyMembershipIsFixed(node, Boolean(areas.compute.engine?.feed)))

/** Returns the service that connects to hosts. Throws if this server does not read hosts. */
export function hostsOf({ hosts }: Pick<Tools, 'hosts'>): Hosts {
  if (hosts) return hosts
  throw problem('infrastructure.hosts_not_read')
}
