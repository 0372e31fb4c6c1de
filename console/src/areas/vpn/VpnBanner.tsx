import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { useVpn } from './use-vpn'

/** Explains why VPN is unavailable. */
export function VpnBanner() {
  const t = useT('vpn')
  const { data } = useVpn()
  if (!data?.unavailable) return null
  return (
    <Banner tone="warn" title={t('unavailable')}>
      {data.unavailable}
    </Banner>
  )
}
