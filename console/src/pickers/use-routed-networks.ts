import { mayUseNetwork } from '@mainstay/contract/networking/access'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { useList } from '../api/use-list'
import { useMay } from '../session/may'
import { useSession } from '../session/session'

/**
 * Whether the user may use a network for external gateways and floating IPs. Only such networks are shown as external.
 */
export function useIsUsableExternalNetwork() {
  const scope = useSession(({ meta }) => meta?.scope)
  return (network: Network): boolean => network.router_external && (!scope || mayUseNetwork(scope, network, 'routed'))
}

/** External networks that the user may use for external gateways and floating IPs. */
export function useRoutedNetworks() {
  const may = useMay()
  const mayRoute = useIsUsableExternalNetwork()
  const { rows, isLoading } = useList(networks.list, networkKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT },
    isEnabled: may(networks.list.needs),
  })
  return { isLoading: isLoading && may(networks.list.needs), rows: rows.filter(mayRoute) }
}
