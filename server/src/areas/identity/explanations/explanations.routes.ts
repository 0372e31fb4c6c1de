import { explanations } from '@mainstay/contract/identity/explanations'
import { serve } from '../../../http/serve'
import { explainedCalls } from './explained-calls'
import { explain } from './explanation.service'
import { holdersOf } from './holders.service'

export const explanationRoutes = serve(explanations, {
  calls: () => ({ data: [...explainedCalls] }),
  explain: ({ caller, query }, tools) => explain(caller, query, tools),
  holders: ({ caller, query }, tools) => holdersOf(caller, query, tools),
})
