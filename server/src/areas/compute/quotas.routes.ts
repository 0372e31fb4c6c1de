import { quotas } from '@mainstay/contract/compute/quotas'
import { serve } from '../../http/serve'

export const quotaRoutes = serve(quotas, {
  view: ({ scope, params }, { compute }) => compute.quotas(scope, params.project_id),
})
