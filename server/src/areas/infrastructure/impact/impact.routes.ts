import { impact } from '@mainstay/contract/infrastructure/impact'
import { serve } from '../../../http/serve'
import { readImpactFacts } from './facts'
import { impactOf } from './impact'

export const impactRoutes = serve(
  impact,
  {
    async view({ query }, tools) {
      const facts = await readImpactFacts(tools)
      return { counted_at: facts.now.toISOString(), rows: impactOf(facts, query) }
    },
  },
  { about: 'impact' },
)
