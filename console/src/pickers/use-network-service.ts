import { networkService, type NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import { useView } from '../api/use-view'
import { useMay } from '../session/may'

const everyMs = 60_000

/** What networks can do here, and how they are. All that ask share one answer. */
export function useNetworkService() {
  const may = useMay()
  return useView(networkService.view, {}, { isEnabled: may(networkService.view.needs), everyMs })
}

/** Whether the engine can do this; false until it is known, so that nothing is offered and taken back. */
export const useNetworkingCan = (what: keyof NetworkingCapabilities): boolean =>
  useNetworkService().data?.capabilities[what] ?? false
