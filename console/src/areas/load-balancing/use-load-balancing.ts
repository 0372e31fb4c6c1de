import {
  loadBalancingService,
  type LoadBalancingCapabilities,
} from '@mainstay/contract/load-balancing/load-balancing-service'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** State and capabilities of load balancing. All callers share one cached reply. */
export function useLoadBalancing() {
  const may = useMay()
  return useView(loadBalancingService.view, {}, { isEnabled: may(loadBalancingService.view.needs) })
}

/** Null until loaded, so that no option is offered and then withdrawn. */
export const useBalancingCapabilities = (): LoadBalancingCapabilities | null =>
  useLoadBalancing().data?.capabilities ?? null
