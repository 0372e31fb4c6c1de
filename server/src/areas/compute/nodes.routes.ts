import { computeNodeKind, computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { byIdOr, readFrom, serve } from '../../http/serve'

const fromIndex = readFrom<ComputeNode>(computeNodeKind)

export const computeNodeRoutes = serve(
  computeNodes,
  { ...fromIndex, view: ({ scope, params }, tools) => byIdOr('host', computeNodeKind, scope, params.id, tools) },
  { kind: computeNodeKind },
)
