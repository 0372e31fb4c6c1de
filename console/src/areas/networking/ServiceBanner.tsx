import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { useNetworkService } from '../../pickers/use-network-service'

/** Explains that networking is only simulated on this host, and why. */
export function ServiceBanner() {
  const t = useT('networking')
  const { data } = useNetworkService()
  if (!data?.unavailable) return null
  return (
    <Banner tone="warn" title={t('service.unavailable')}>
      {data.unavailable}
    </Banner>
  )
}
