import { reach } from '@mainstay/contract/networking/reach'
import { serve } from '../../http/serve'
import { explain } from './reach.service'

export const reachRoutes = serve(
  reach,
  {
    ask: ({ scope, body }, tools) => explain(tools, scope, body),
    async probe({ scope, body }, tools) {
      const answer = await explain(tools, scope, body)
      return { ...(await tools.ports.networking.probe(scope, body)), answer }
    },
  },
  { about: 'reach' },
)
