import {
  loadBalancingService,
  type LoadBalancingCapabilities,
} from '@mainstay/contract/load-balancing/load-balancing-service'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** Load balancing status and capabilities. All callers share one cached response. */
export function useLoadBalancing() {
  const may = useMay()
  return useView(loadBalancingService.view, {}, { isEnabled: may(loadBalancingService.view.needs) })
}

/** Load balancing capabilities. Null until loaded, so that options do not appear and then disappear. */
export const useBalancingCapabilities = (): LoadBalancingCapabilities | null =>
  useLoadBalancing().data?.capabilities ?? null
