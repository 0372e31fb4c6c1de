import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { useLoadBalancing } from './use-load-balancing'

/** Explains why load balancing is unavailable. */
export function BalancingBanner() {
  const t = useT('loadBalancing')
  const { data } = useLoadBalancing()
  if (!data?.unavailable) return null
  return (
    <Banner tone="warn" title={t('unavailable')}>
      {data.unavailable}
    </Banner>
  )
}
