import { vpnOverview, type VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** State and capabilities of VPN. All callers share one cached reply. */
export function useVpn() {
  const may = useMay()
  return useView(vpnOverview.view, {}, { isEnabled: may(vpnOverview.view.needs) })
}

/** Null until loaded, so that no option is offered and then withdrawn. */
export const useVpnCapabilities = (): VpnCapabilities | null => useVpn().data?.capabilities ?? null
