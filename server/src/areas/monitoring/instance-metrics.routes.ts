import { instanceFigures } from '@mainstay/contract/monitoring/instance-metrics'
import { serve } from '../../http/serve'
import { readInstanceMetrics } from './instance-metrics.service'

export const instanceFigureRoutes = serve(instanceFigures, {
  several: async ({ scope, query: { ids }, request }, tools) => ({
    data: await readInstanceMetrics(tools, scope, ids.split(','), request.signal),
  }),
})
