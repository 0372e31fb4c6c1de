import { fieldProblem, Problem, problem } from '@mainstay/contract/core/problems'
import { proposeDisks } from '@mainstay/contract/infrastructure/disk-proposal'
import type { Disk } from '@mainstay/contract/infrastructure/disks'
import {
  nodeJoining,
  type DiskUse,
  type JoinConfig,
  type NewClusterConfig,
} from '@mainstay/contract/infrastructure/node-joining'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../../http/serve'
import type { Tools } from '../../../tools'
import { hasCluster, requireCluster } from '../clusters.service'
import { membershipIsFixed, nodeOf } from './node-of'

/**
 * Returns the proposal for a node, based on its disks. Throws a `validation` error if a choice does not fit the disks.
 */
async function proposalFor(
  tools: Pick<Tools, 'inventory'>,
  node: Node,
  choice: { chosen?: readonly DiskUse[] | undefined; isNew: boolean },
): Promise<JoinConfig> {
  const disks = await tools.inventory.transaction((tx) => tx.find<Disk>('disk', { node_id: node.id }))
  return proposalOf(node, disks, choice)
}

function proposalOf(
  node: Node,
  disks: readonly Disk[],
  { chosen, isNew }: { chosen?: readonly DiskUse[] | undefined; isNew: boolean },
): JoinConfig {
  const sorted = disks.toSorted((one, two) => one.device.localeCompare(two.device))
  const proposal = proposeDisks(node, sorted, { chosen, isNew })
  const known = new Map(proposal.disks.map((disk) => [disk.id, disk]))
  for (const [at, { id, role, service_params }] of (chosen ?? []).entries()) {
    const disk = known.get(id)
    if (!disk) throw fieldProblem(`disks.${at}.id`, 'infrastructure.no_such_disk', { host: node.host })
    if (!disk.available_roles.includes(role))
      throw fieldProblem(`disks.${at}.role`, 'infrastructure.disk_role', {
        device: disk.device,
        roles: disk.available_roles.join(', '),
      })
    const cache = service_params.journal_disk_id ?? null
    if (cache !== null && !known.get(cache)?.role.endsWith('journal'))
      throw fieldProblem(`disks.${at}.service_params.journal_disk_id`, 'infrastructure.not_a_cache')
  }
  return proposal
}

/** Returns the node that a request body names. Throws a `validation` error on the field. */
async function namedNode(scope: Scope, id: string, tools: Tools): Promise<Node> {
  return nodeOf(scope, id, tools).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error
    throw fieldProblem('node_id', 'infrastructure.no_such_node', { id })
  })
}

async function newClusterConfig(
  { scope, nodeId, chosen }: { scope: Scope; nodeId: string | undefined; chosen?: readonly DiskUse[] | undefined },
  tools: Tools,
): Promise<NewClusterConfig> {
  const nodes =
    nodeId === undefined
      ? await tools.inventory.transaction((tx) => tx.find<Node>('node', { is_online: true }))
      : [await namedNode(scope, nodeId, tools)]
  // disks belong to one node, so a choice must name the node if there are several
  if (chosen && nodes.length !== 1) throw fieldProblem('node_id', 'infrastructure.choose_node')
  const of = nodeId === undefined ? {} : { node_id: nodes[0]!.id }
  const disks = await tools.inventory.transaction((tx) => tx.find<Disk>('disk', of))
  const configs = nodes.map((node, at) => {
    const own = disks.filter(({ node_id }) => node_id === node.id)
    return proposalOf(node, own, { chosen, isNew: at === 0 })
  })
  return { nodes: configs, encryption: { tier0: false, tier1: false, tier2: false, tier3: false } }
}

function refuseOffline({ is_online, host }: Node): void {
  if (!is_online) throw problem('infrastructure.node_offline', { host })
}

export const joiningRoutes = serve(
  nodeJoining,
  {
    async viewJoinConfig({ scope, params }, tools) {
      requireCluster(tools, params.cluster)
      return proposalFor(tools, await nodeOf(scope, params.id, tools), { isNew: false })
    },
    async makeJoinConfig({ scope, params, body }, tools) {
      requireCluster(tools, params.cluster)
      return proposalFor(tools, await nodeOf(scope, params.id, tools), { chosen: body.disks, isNew: false })
    },
    async join({ scope, params, body }, tools) {
      requireCluster(tools, params.cluster)
      const node = await namedNode(scope, body.node_id, tools)
      if (node.is_assigned) throw problem('infrastructure.node_joined', { host: node.host })
      refuseOffline(node)
      await proposalFor(tools, node, { chosen: body.disks, isNew: false })
      throw membershipIsFixed(tools, node)
    },
    viewClusterConfig: ({ scope, query }, tools) => newClusterConfig({ scope, nodeId: query.node_id }, tools),
    makeClusterConfig: ({ scope, body }, tools) =>
      newClusterConfig({ scope, nodeId: body.node_id, chosen: body.disks }, tools),
    async createCluster({ scope, body }, tools) {
      const node = await namedNode(scope, body.node_id, tools)
      if (hasCluster(tools)) throw problem('infrastructure.cluster_exists', { name: CLUSTER_ID })
      refuseOffline(node)
      await proposalFor(tools, node, { chosen: body.disks, isNew: true })
      throw problem('infrastructure.cluster_not_created')
    },
  },
  { about: 'node' },
)
