import type { AddressUse } from '@mainstay/contract/networking/networks'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import css from './networks.module.css'

/** Share of the total from which the bar is highlighted. */
const NEARLY_FULL = 0.9

/**
 * A network's IPv4 address usage. For IPv6 only, it shows just the number in use, since the total is practically
 * unlimited.
 */
export function UseBar({ use }: { use: readonly AddressUse[] }) {
  const t = useT('networking')
  const format = useFormat()
  const four = use.find(({ ip_version }) => ip_version === 4)
  const [any] = use
  if (!any) return <span className={css.dim}>–</span>
  if (!four) return <>{t('networks.usedOnly', { count: any.used, shown: format.number(any.used) })}</>
  const total = Number(four.total)
  const share = total === 0 ? 0 : Math.min(1, four.used / total)
  return (
    <span className={css.use}>
      <span className={css.track} aria-hidden="true">
        <span
          className={classes(css.fill, share >= NEARLY_FULL && css.full)}
          style={{ inlineSize: `${share * 100}%` }}
        />
      </span>
      <bdi>{t('networks.usedOf', { used: format.number(four.used), total: format.number(total) })}</bdi>
    </span>
  )
}
