import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { readFrom, serve } from '../../http/serve'
import type { Tools } from '../../tools'

const compute = readFrom<ComputeNode>(computeNodeKind)

/** The only node of the embedded engine is the primary node. In a cloud, no node is primary. */
const nodeOf = ({ id, host, state }: ComputeNode, { engines }: Tools): Node => ({
  id,
  host,
  is_primary: engines.some(({ areas, feed }) => areas.has('compute') && feed === null),
  is_online: state === 'up',
  is_assigned: true,
  is_in_ha: false,
})

/** Nodes are known, and therefore listed, only if they run instances. */
export const nodeRoutes = serve(
  nodes,
  {
    async list(call, tools) {
      const found = await compute.list(call, tools)
      return { ...found, data: found.data.map((node) => nodeOf(node, tools)) }
    },
    view: async (call, tools) => nodeOf(await compute.view(call, tools), tools),
  },
  { about: 'node' },
)
