import { nodeKind, nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { readFrom, serve } from '../../../http/serve'

export const nodeRoutes = serve(nodes, { ...readFrom<Node>(nodeKind) }, { kind: nodeKind })
