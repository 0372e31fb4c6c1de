import { instanceFigures } from '@mainstay/contract/monitoring/instance-figures'
import { serve } from '../../http/serve'
import { figuresOf } from './instance-figures.service'

export const instanceFigureRoutes = serve(instanceFigures, {
  several: async ({ scope, query: { ids }, request }, tools) => ({
    data: await figuresOf(tools, scope, ids.split(','), request.signal),
  }),
})
