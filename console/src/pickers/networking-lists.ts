import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { routerKind, routers } from '@mainstay/contract/networking/routers'
import { subnetKind, subnets } from '@mainstay/contract/networking/subnets'
import { useList } from '../api/use-list'
import { useMay } from '../session/may'

const all = { stateIn: 'memory', limit: MAX_LIMIT } as const

/** The first 1,000 subnets visible to the user. All callers share one request. */
export function useSubnets(isNeeded = true) {
  const may = useMay()
  return useList(subnets.list, subnetKind, { ...all, isEnabled: isNeeded && may(subnets.list.needs) })
}

export function useRouters(isNeeded = true) {
  const may = useMay()
  return useList(routers.list, routerKind, { ...all, isEnabled: isNeeded && may(routers.list.needs) })
}

export function useNetworks(isNeeded = true) {
  const may = useMay()
  return useList(networks.list, networkKind, { ...all, isEnabled: isNeeded && may(networks.list.needs) })
}
