import { engines } from '@mainstay/contract/infrastructure/engines'
import { serve } from '../../http/serve'

export const engineRoutes = serve(engines, {
  list: async (_, { engineStates }) => ({ data: await engineStates.all() }),
})
