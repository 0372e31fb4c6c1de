import { impact, type ImpactKind } from '@mainstay/contract/infrastructure/impact'
import { locationKind } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../api/use-view'

/** Calls to refetch when a change in this console may have changed the impact of failures. */
export const impactCalls = [impact.view]

/** Polling interval: virtual machines and recovery points change too often to refetch the impact on every event. */
const everyMs = 30_000
const madeOf = [nodeKind.name, locationKind.name]

/** Loads the effects of possible failures, for all objects or for a single one. */
export const useImpact = (query: { kind?: ImpactKind; id?: string } = {}) =>
  useView(impact.view, {}, { query, everyMs, madeOf })
