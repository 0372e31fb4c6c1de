import { featureCalls, featureIds, features } from '@mainstay/contract/settings/features'
import { serve } from '../../http/serve'

export const featureRoutes = serve(featureCalls, {
  list: (_, { config: { featuresOff } }) =>
    featureIds.map((id) => ({ id, enabled: !featuresOff.includes(id), metadata: { target: features[id] } })),
})
