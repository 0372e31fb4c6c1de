import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { useT } from '../../../i18n/use-t'
import { Time } from '../../../ui/values/Time'
import css from './floating-ips.module.css'

/** Shows that a floating IP is not assigned, and when it last changed. */
export function UnassignedSince({ floatingIp }: { floatingIp: Pick<FloatingIp, 'updated_at'> }) {
  const t = useT('networking')
  return (
    <span className={css.dim}>{t('floatingIps.kept', { since: <Time key="since" at={floatingIp.updated_at} /> })}</span>
  )
}
