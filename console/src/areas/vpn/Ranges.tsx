import { useT } from '../../i18n/use-t'
import { Mono } from '../../ui/values/Mono'
import css from './vpn.module.css'

/** The first of some ranges, and how many more there are; all of them where somebody points at it. */
export function Ranges({ of: ranges }: { of: readonly string[] }) {
  const t = useT('vpn')
  const [first, ...others] = ranges
  if (first === undefined) return '–'
  return (
    <span title={ranges.join(', ')} className={css.ranges}>
      <Mono>{first}</Mono>
      {others.length > 0 && <span className={css.dim}> {t('more', { count: others.length })}</span>}
    </span>
  )
}
