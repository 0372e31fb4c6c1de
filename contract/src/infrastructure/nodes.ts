import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { page, PageQuery } from '../core/lists/paging'

/** A host in the installation, in the form that command-line clients of this API family expect. */
export const Node = z.object({
  id: z.string(),
  host: z.string(),
  /** Whether the management services run on it. */
  is_primary: z.boolean(),
  is_online: z.boolean(),
  /** Whether the node belongs to the cluster. */
  is_assigned: z.boolean(),
  /** Whether another node takes over if it fails. */
  is_in_ha: z.boolean(),
})
export type Node = z.infer<typeof Node>

const path = '/api/v2/nodes'
export const nodes = endpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('nodes'),
    summary: 'List nodes. Accepts the filters of compute nodes.',
    query: PageQuery,
    reply: page(Node),
  },
  view: {
    verb: 'GET',
    path: `${path}/:id`,
    needs: read('nodes'),
    summary: 'Get a node by ID or host name',
    reply: Node,
  },
})
