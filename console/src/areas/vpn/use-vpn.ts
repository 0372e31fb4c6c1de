import { vpnOverview, type VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import { useView } from '../../api/use-view'
import { useMay } from '../../session/may'

/** What VPN can do here. All that ask share one answer. */
export function useVpn() {
  const may = useMay()
  return useView(vpnOverview.view, {}, { isEnabled: may(vpnOverview.view.needs) })
}

/** Null until it is known, so that nothing is offered and taken back. */
export const useVpnCapabilities = (): VpnCapabilities | null => useVpn().data?.capabilities ?? null
