import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { kind } from '../core/kind'
import { page, PageQuery } from '../core/paging'

/** A machine that runs instances (S2§3 "Compute node"). */
export const ComputeNode = z.object({
  id: z.string(),
  /** Its name, as instances have it. */
  host: z.string(),
  host_ip: z.string().nullable(),
  /** Whether it answers. */
  state: z.enum(['up', 'down']),
  /** Disabled: it takes no new instances. */
  hypervisor: z.object({ status: z.enum(['enabled', 'disabled']), hypervisor_type: z.string() }),
  /** Ids of the placements that it carries. */
  traits: z.array(z.string()),
})
export type ComputeNode = z.infer<typeof ComputeNode>

export const computeNodeKind = kind({
  name: 'compute_node',
  entity: ComputeNode,
  // nobody's: only a system scope sees nodes
  visibility: 'project',
  filters: {
    id: { path: 'id', type: 'id' },
    host: { path: 'host', type: 'text' },
    state: { path: 'state', type: 'id' },
    traits: { path: 'traits', type: 'tags' },
  },
  sortKeys: { host: { path: 'host', type: 'text' }, state: { path: 'state', type: 'text' } },
  defaultSort: 'host:asc',
  search: ['host', 'id'],
  permissions: { collection: 'compute_nodes', item: 'compute_node' },
})

const base = '/api/v2/compute/nodes'
export const computeNodes = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_nodes'),
    summary: 'List compute nodes',
    query: PageQuery,
    reply: page(ComputeNode),
  },
  view: {
    verb: 'GET',
    path: `${base}/:id`,
    needs: read('compute_node'),
    summary: 'Read a compute node',
    reply: ComputeNode,
  },
})
