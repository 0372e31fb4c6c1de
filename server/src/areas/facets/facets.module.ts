import { facets } from '@mainstay/contract/core/lists/facets'
import { serve } from '../../http/serve'
import { module } from '../../module'
import { listedKind } from '../../session/listed-kind'

const facetRoutes = serve(facets, {
  async values({ scope, caller, params, query }, { inventory }) {
    return inventory.facets(listedKind(params.kind, caller), scope, query)
  },
})

/** Counts the values of a field, which are offered as filter values for a list. */
export const facetsModule = module({ routes: [facetRoutes] })
