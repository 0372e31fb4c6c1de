import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { call } from '../api/call'
import { compositeOf, viewKey } from '../api/keys'
import { queryClient } from '../api/query-client'
import { mayNow } from './may'
import { sessionNow } from './session'

/**
 * Loads the compute figures of the current project, so that its overview shows them at once. A failure is ignored here:
 * the overview asks again and shows it.
 */
export function fetchComputeStat(): void {
  const { meta } = sessionNow()
  if (!mayNow(computeCluster.stat.needs) || !meta?.services.compute.configured) return
  const queryKey = viewKey(compositeOf([]), computeCluster.stat, {}, {})
  queryClient
    .query({ queryKey, queryFn: ({ signal }) => call(computeCluster.stat, {}, { signal }) })
    .catch(() => undefined)
}
