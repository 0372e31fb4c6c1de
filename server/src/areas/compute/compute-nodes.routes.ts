import { randomUUID } from 'node:crypto'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { whyNodeCannotJoin, whyNodeStays } from '@mainstay/contract/compute/node-membership'
import { computeNodeKind, type ComputeNode, type ComputeNodeRole } from '@mainstay/contract/compute/nodes'
import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import type { RuleText } from '@mainstay/contract/core/said'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { resources } from '@mainstay/contract/resources'
import type { ComputeNodesPort } from '@mainstay/engines/ports/compute'
import type { Scope } from '@mainstay/engines/ports/scope'
import { readFrom } from '../../http/serve'
import { serveResource } from '../../http/serve-resource'
import { gatherTasks } from '../../tasks/begun-tasks'
import type { Tools } from '../../tools'

const rows = readFrom<ComputeNode>(computeNodeKind)

/** Counts virtual machines by host name. */
const machinesByHost = (scope: Scope, { inventory }: Tools) => inventory.countBy(instanceKind, scope, 'host')

/**
 * Adds values that are not stored with the rows: the number of virtual machines, the maintenance state of the host and,
 * if the client asks for them, the engine's statistics, which change constantly.
 */
async function completed(
  nodes: readonly ComputeNode[],
  { scope, query }: { scope: Scope; query: { with_stats?: boolean | undefined } },
  tools: Tools,
): Promise<ComputeNode[]> {
  const [machines, hosts, statistics] = await Promise.all([
    machinesByHost(scope, tools),
    tools.inventory.rowsOf(
      nodeKind,
      nodes.map(({ id }) => id),
    ),
    query.with_stats ? tools.ports.compute.nodes.statistics(scope) : null,
  ])
  return nodes.map((node) => ({
    ...node,
    in_maintenance: (hosts.get(node.id) as Node | undefined)?.maintenance?.state === 'suspended',
    hypervisor: { ...node.hypervisor, vms: machines[node.host] ?? 0 },
    statistics: statistics?.get(node.id) ?? null,
  }))
}

interface NodesCall {
  scope: Scope
  body: { nodes: { node_id: string; roles?: ComputeNodeRole[] }[]; event?: string | null | undefined }
}

/** Changes all given nodes, or none if any of them may not be changed. Each change runs as a task. */
async function changeNodes(
  { scope, body: { nodes, event = null } }: NodesCall,
  tools: Tools,
  { command, refusal }: { command: 'join' | 'release'; refusal(node: ComputeNode, machines: number): RuleText | null },
): Promise<{ task_id: string }> {
  const roles = new Map(nodes.map(({ node_id, roles: chosen = [] }) => [node_id, chosen]))
  const port: ComputeNodesPort = tools.ports.compute.nodes
  const [found, machines] = await Promise.all([
    tools.inventory.several<ComputeNode>(computeNodeKind, scope, [...roles.keys()]),
    machinesByHost(scope, tools),
  ])
  if (found.length < roles.size) throw fieldProblem('nodes', 'compute.no_such_carrier', { carrier: 'node' })
  if (found.length > 1 || tools.capabilities.compute.many_nodes)
    for (const node of found) {
      const reason = refusal(node, machines[node.host] ?? 0)
      if (reason) throw problemOf(reason)
    }
  const [task_id = ''] = await gatherTasks(randomUUID(), async () => {
    for (const { id } of found) await port[command](scope, id, { roles: roles.get(id)!, event })
  })
  return { task_id }
}

export const computeNodeRoutes = serveResource(resources.computeNodes, () => ({}), {
  async list(call, tools) {
    const { with_stats, ...query } = call.query
    const page = await rows.list({ ...call, query }, tools)
    return { ...page, data: await completed(page.data, call, tools) }
  },
  async view(call, tools) {
    const [node] = await completed([await rows.view(call, tools)], call, tools)
    return node!
  },
  join: (call, tools) => changeNodes(call, tools, { command: 'join', refusal: whyNodeCannotJoin }),
  release: (call, tools) => changeNodes(call, tools, { command: 'release', refusal: whyNodeStays }),
  async fence({ scope, params, body }, tools) {
    const fenced = await tools.ports.compute.nodes.fence(scope, params.id, body.reason)
    return (await completed([fenced], { scope, query: {} }, tools))[0]!
  },
  async unfence({ scope, params }, tools) {
    const returned = await tools.ports.compute.nodes.unfence(scope, params.id)
    return (await completed([returned], { scope, query: {} }, tools))[0]!
  },
})
