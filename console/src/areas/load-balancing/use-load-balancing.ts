import {
  loadBalancingService,
  type LoadBalancingCapabilities,
} from '@mainstay/contract/load-balancing/load-balancing-service'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** What load balancers can do here. All that ask share one answer. */
export function useLoadBalancing() {
  const may = useMay()
  return useView(loadBalancingService.view, {}, { isEnabled: may(loadBalancingService.view.needs) })
}

/** Null until it is known, so that nothing is offered and taken back. */
export const useBalancingCapabilities = (): LoadBalancingCapabilities | null => useLoadBalancing().data?.capabilities ?? null
