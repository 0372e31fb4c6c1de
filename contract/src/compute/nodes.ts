import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Flag } from '../core/lists/paging'
import { NodeId } from '../core/names'
import { says } from '../core/said'
import { TaskStarted } from '../core/tasks'
import { computeNodeStates } from './node-rules'
import { ComputeNodeStatistics } from './node-statistics'

/** Role of a node. A controller also runs services of the compute cluster. */
const computeNodeRoles = ['controller', 'compute'] as const
const ComputeNodeRole = z.enum(computeNodeRoles, says('compute.node_role'))
export type ComputeNodeRole = z.infer<typeof ComputeNodeRole>

/** A host that runs instances (S2§3 "Compute node"). */
export const ComputeNode = z.object({
  id: z.string(),
  /** Host name, as in `host` of an instance. */
  host: z.string(),
  host_ip: z.string().nullable(),
  cpu_model: z.string().nullable().describe('Processor of the host. Null: the engine does not report it.'),
  state: z.enum(computeNodeStates).describe('`down`: the node does not respond.'),
  fenced_reason: z.string().nullable().describe('Why the node is fenced. Null: it is not.'),
  in_maintenance: z.boolean().describe('Whether the host is in maintenance, so that it can be turned off.'),
  /** A disabled node accepts no new instances. */
  hypervisor: z.object({
    status: z.enum(['enabled', 'disabled']),
    vms: z.number().int().describe('Number of virtual machines on the node.'),
    hypervisor_type: z.string(),
  }),
  /** IDs of the placements assigned to the node. */
  traits: z.array(z.string()),
  services: z.array(
    z.object({ name: z.string(), status: z.enum(['enabled', 'disabled']), state: z.enum(['up', 'down']) }),
  ),
  roles: z.array(ComputeNodeRole),
  custom_params: z.record(z.string(), z.string()).describe('Settings of the node that differ from the cluster’s.'),
  statistics: ComputeNodeStatistics.nullable().describe('Returned with `with_stats`; otherwise null.'),
})
export type ComputeNode = z.infer<typeof ComputeNode>

export const computeNodeKind = kind({
  name: 'compute_node',
  entity: ComputeNode,
  visibility: 'system',
  alias: 'host',
  status: 'state',
  filters: ['id', 'host', 'state', 'traits'],
  sortKeys: ['host', 'state'],
  defaultSort: 'host:asc',
  search: ['host', 'id'],
  permissions: { collection: 'compute_nodes', item: 'compute_node' },
})

/** Maximum number of nodes in one call. */
const mostNodes = 100
const Event = z.string().max(255).nullish().describe('Recorded with the tasks, so that a client recognizes them.')
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .min(1, says('core.choose_one'))
    .max(mostNodes, says('core.too_many_items', { most: mostNodes }))
const NodeChoice = z.strictObject({
  node_id: NodeId,
  roles: z.array(ComputeNodeRole).max(computeNodeRoles.length).default(['compute']),
})
const exampleNode = '6f1d3c52-7f0a-5d7b-9a55-0c6f2f7d1a10'

export const ComputeNodesJoin = z
  .strictObject({ nodes: listOf(NodeChoice), event: Event })
  .meta({ examples: [{ nodes: [{ node_id: exampleNode, roles: ['compute'] }] }] })

export const ComputeNodesRelease = z
  .strictObject({ nodes: listOf(NodeChoice.pick({ node_id: true })), event: Event })
  .meta({ examples: [{ nodes: [{ node_id: exampleNode }] }] })

/** A cloud adds a marker to the reason and stores at most 255 characters. */
const mostReason = 200
export const NodeFence = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1, says('compute.fence_reason'))
      .max(mostReason, says('core.too_long', { most: mostReason })),
  })
  .meta({ examples: [{ reason: 'The power supply is being replaced' }] })

const WithStats = Flag.optional().describe('Whether to include `statistics`.')
const path = '/api/v2/compute/nodes'
const standard = crud(computeNodeKind, { path, called: ['a compute node', 'compute nodes'] })

export const computeNodes = endpoints({
  list: { ...standard.list, query: standard.list.query.extend({ with_stats: WithStats }) },
  view: { ...standard.view, query: z.looseObject({ with_stats: WithStats }) },
  join: {
    verb: 'PUT',
    path,
    needs: update('compute_nodes'),
    summary:
      'Add nodes to compute. They accept virtual machines once the task has completed. Not supported by the embedded engine, which has one node.',
    body: ComputeNodesJoin,
    reply: TaskStarted,
    status: 202,
  },
  release: {
    verb: 'DELETE',
    path,
    needs: remove('compute_nodes'),
    summary:
      'Release nodes from compute. Refused for nodes that have virtual machines, are joining or releasing, or are in recovery. Not supported by the embedded engine, which has one node.',
    body: ComputeNodesRelease,
    reply: TaskStarted,
    status: 202,
  },
  fence: {
    verb: 'POST',
    path: `${path}/:id/fence`,
    needs: update('compute_node'),
    summary: 'Fence a compute node. It accepts no virtual machines until it is returned to operation.',
    body: NodeFence,
    reply: ComputeNode,
  },
  unfence: {
    verb: 'POST',
    path: `${path}/:id/unfence`,
    needs: update('compute_node'),
    summary: 'Return a fenced compute node to operation',
    reply: ComputeNode,
  },
})
