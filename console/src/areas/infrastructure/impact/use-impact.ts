import { impact, type ImpactKind } from '@mainstay/contract/infrastructure/impact'
import { locationKind } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../api/use-view'

/** Calls that are read again when a change in this console may have changed the impact. */
export const impactCalls = [impact.view]

/** Virtual machines and recovery points change often, so their effect is polled. */
const everyMs = 30_000
const madeOf = [nodeKind.name, locationKind.name]

/** What stops if one thing fails, for all things or for one. */
export const useImpact = (query: { kind?: ImpactKind; id?: string } = {}) =>
  useView(impact.view, {}, { query, everyMs, madeOf })
