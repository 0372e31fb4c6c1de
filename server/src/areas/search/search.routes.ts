import { search } from '@mainstay/contract/core/lists/search'
import { serve } from '../../http/serve'
import { findAcrossKinds } from './search.service'

export const searchRoutes = serve(search, {
  all: async ({ caller, query }, tools) => ({ data: await findAcrossKinds(tools, caller, query) }),
})
