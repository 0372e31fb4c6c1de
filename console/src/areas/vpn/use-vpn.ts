import { vpnOverview, type VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** VPN status and capabilities. All callers share one cached response. */
export function useVpn() {
  const may = useMay()
  return useView(vpnOverview.view, {}, { isEnabled: may(vpnOverview.view.needs) })
}

/** Capabilities of the VPN service. Null until loaded, so that options do not appear and then disappear. */
export const useVpnCapabilities = (): VpnCapabilities | null => useVpn().data?.capabilities ?? null
