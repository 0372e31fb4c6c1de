import { explanations } from '@mainstay/contract/identity/explanations'
import { serve } from '../../http/serve'
import { explain } from './explanation.service'

export const explanationRoutes = serve(explanations, {
  explain: ({ caller, query }, tools) => explain(caller, query, tools),
})
