import { reach } from '@mainstay/contract/networking/reach'
import { serve } from '../../http/serve'
import { explain } from './reach.service'

export const reachRoutes = serve(
  reach,
  {
    ask: async ({ scope, body }, tools) => (await explain(tools, scope, body)).answer,
    async probe({ scope, body }, tools) {
      const { answer, connectsTo } = await explain(tools, scope, body)
      const sent = connectsTo ? { ...body, destination: { address: connectsTo.address }, port: connectsTo.port } : body
      return { ...(await tools.ports.networking.probe(scope, sent)), answer }
    },
  },
  { about: 'reach' },
)
