import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

/* Command-line clients of this API family request the cluster before every command that concerns it. */

/** ID of the cluster, also used in paths. An installation is a single cluster. */
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
    summary: 'List clusters. An installation is one cluster; its nodes are included.',
    reply: z.array(Cluster),
  },
  overview: {
    verb: 'GET',
    path: '/api/v2/overview',
    needs: read('overview'),
    summary: 'List clusters for an overview. Their nodes are included for operators only.',
    reply: z.object({ data: z.array(Cluster) }),
  },
})
