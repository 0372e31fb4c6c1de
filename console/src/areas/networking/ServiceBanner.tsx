import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { useNetworkService } from '../../pickers/use-network-service'

/** Why networks are not for real here. */
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
