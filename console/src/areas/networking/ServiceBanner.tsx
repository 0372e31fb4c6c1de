import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { useNetworkService } from '../../pickers/use-network-service'

/** Says why networking is only simulated here. */
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
