import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

/* The cluster, as command-line clients of this family ask for it before every command that is about it. */

/** An installation is one cluster; this is its id, and stands for it in paths. */
export const CLUSTER_ID = 'cluster'

export const Cluster = z.object({
  id: z.string(),
  name: z.string(),
  nodes: z.array(z.object({ id: z.string(), host: z.string() })),
})
export type Cluster = z.infer<typeof Cluster>

export const clusters = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/clusters',
    needs: read('clusters'),
    summary: 'The cluster, which is one, with its machines',
    reply: z.array(Cluster),
  },
})
