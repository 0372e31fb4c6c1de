import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'

/** A host that runs instances (S2§3 "Compute node"). */
export const ComputeNode = z.object({
  id: z.string(),
  /** Host name, as in `host` of an instance. */
  host: z.string(),
  host_ip: z.string().nullable(),
  /** Whether the node responds. */
  state: z.enum(['up', 'down']),
  /** A disabled node accepts no new instances. */
  hypervisor: z.object({ status: z.enum(['enabled', 'disabled']), hypervisor_type: z.string() }),
  /** IDs of the placements assigned to the node. */
  traits: z.array(z.string()),
})
export type ComputeNode = z.infer<typeof ComputeNode>

export const computeNodeKind = kind({
  name: 'compute_node',
  entity: ComputeNode,
  visibility: 'system',
  alias: 'host',
  filters: ['id', 'host', 'state', 'traits'],
  sortKeys: ['host', 'state'],
  defaultSort: 'host:asc',
  search: ['host', 'id'],
  permissions: { collection: 'compute_nodes', item: 'compute_node' },
})

export const computeNodes = crud(computeNodeKind, {
  path: '/api/v2/compute/nodes',
  called: ['a compute node', 'compute nodes'],
})
