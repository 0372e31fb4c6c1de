import { mayUseNetwork } from '@mainstay/contract/networking/access'
import { MAX_LIMIT } from '@mainstay/contract/core/paging'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { useList } from '../api/use-list'
import { useMay } from '../session/may'
import { useSession } from '../session/session'

/** External networks in which whoever acts here may have gateways of routers and floating IPs. */
export function useRoutedNetworks() {
  const may = useMay()
  const scope = useSession(({ meta }) => meta?.scope)
  const { rows, isLoading } = useList(networks.list, networkKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT },
    isEnabled: may(networks.list.needs),
  })
  const external = rows.filter(({ router_external }) => router_external)
  return { isLoading, rows: external.filter((it) => !scope || mayUseNetwork(scope, it, 'routed')) }
}
