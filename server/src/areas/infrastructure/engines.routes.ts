import { engines } from '@mainstay/contract/infrastructure/engines'
import { serve } from '../../http/serve'
import { nodeSupport } from '../../metrics/node-support'

export const engineRoutes = serve(engines, {
  list: async (_, { engineStates }) => ({ data: await engineStates.all() }),
  parts: async (_, { platformParts, config }) => ({
    data: await platformParts.all(),
    node: nodeSupport(),
    has_dashboards: config.grafanaUrl !== null,
  }),
})
