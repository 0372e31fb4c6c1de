import { computeNodeKind, computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { readFrom, serve } from '../../http/serve'

export const computeNodeRoutes = serve(computeNodes, readFrom<ComputeNode>(computeNodeKind), { kind: computeNodeKind })
