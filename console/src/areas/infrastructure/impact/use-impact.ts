import { useEffect, useState } from 'react'
import { impact, type ImpactKind } from '@mainstay/contract/infrastructure/impact'
import { locationKind } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../api/use-view'
import { loadMessages } from '../../../i18n/said'

/** Calls that are read again when a change in this console may have changed the impact. */
export const impactCalls = [impact.view]

/** Virtual machines and recovery points change often, so their effect is polled. */
const everyMs = 30_000
const madeOf = [nodeKind.name, locationKind.name]

/** What stops if one thing fails, for all things or for one. Has no data until its sentences can be translated. */
export function useImpact(query: { kind?: ImpactKind; id?: string } = {}) {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    void loadMessages([{ key: 'infrastructure.impact_data_stays' }]).then(() => setReady(true))
  }, [])
  const view = useView(impact.view, {}, { query, everyMs, madeOf })
  return isReady ? view : { ...view, data: undefined }
}
