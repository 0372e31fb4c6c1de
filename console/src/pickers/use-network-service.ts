import { networkService, type NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import { useView } from '../api/use-view'
import { useMay } from '../session/may'

const everyMs = 60_000

/** Capabilities and status of the networking service. All callers share one request. */
export function useNetworkService() {
  const may = useMay()
  return useView(networkService.view, {}, { isEnabled: may(networkService.view.needs), everyMs })
}

/** Whether the engine has this capability; false while unknown, so that no option appears and then disappears. */
export const useNetworkingCan = (what: keyof NetworkingCapabilities): boolean =>
  useNetworkService().data?.capabilities[what] ?? false
