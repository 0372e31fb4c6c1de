import type { ReactNode } from 'react'
import { useLocale } from 'react-aria-components/I18nProvider'
import { Label } from 'react-aria-components/Label'
import { Meter as AriaMeter } from 'react-aria-components/Meter'
import { classes } from '../../lib/classes'
import { clamp, formatNumber } from '../../lib/numbers'
import { WarnIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './Meter.module.css'

export interface MeterProps {
  /** Name of the resource: "vCPUs", "Storage". */
  label: string
  used: number
  /** Amount that the current form would add; updates while typing. */
  added?: number | undefined
  /** `null` means unlimited. */
  limit: number | null
  /** Formats the numbers: `format={format.bytes}`. */
  format?: ((value: number) => string) | undefined
}

/** Fraction of the limit at which the meter starts to show a warning. */
const NEARLY_FULL = 0.8

/**
 * Shows how much of a limit is used and requested, and by how much it is exceeded. Text that starts with a number is
 * isolated; otherwise the unit would be on the wrong side in right-to-left layout.
 */
export function Meter({ label, used, added = 0, limit, format }: MeterProps) {
  const text = useUiText()
  const { locale } = useLocale()
  const say = format ?? ((value: number) => formatNumber(value, locale))
  const total = used + added
  const isOver = limit !== null && total > limit
  const share = limit === null || total === 0 ? 0 : total / Math.max(limit, 0)
  // a request that exactly reaches the limit is still allowed
  const isFull = isOver || (share >= 1 && added === 0)
  const level = isFull ? 'full' : share >= NEARLY_FULL ? 'near' : undefined
  const part = (value: number) =>
    limit === null || limit <= 0 ? (value > 0 ? 100 : 0) : clamp(value / limit, 0, 1) * 100
  const usedPart = part(used)

  const amount =
    limit === null
      ? text('meterUnlimited', { used: say(total) })
      : added > 0
        ? text('meterPlus', { used: say(used), added: say(added), limit: say(limit) })
        : text('meterOf', { used: say(used), limit: say(limit) })
  const rest =
    limit === null
      ? ''
      : isOver
        ? text('meterOver', { over: say(total - limit) })
        : text('meterLeft', { left: say(limit - total) })

  const words = (name: ReactNode) => (
    <div className={css.words}>
      {name}
      <bdi className={css.amount}>{amount}</bdi>
      {rest && (
        <span className={css.rest}>
          {level && <WarnIcon />}
          <bdi>{rest}</bdi>
        </span>
      )}
    </div>
  )
  if (limit === null) return <div className={css.meter}>{words(<span className={css.label}>{label}</span>)}</div>

  return (
    <AriaMeter
      className={classes(css.meter, level && css[level])}
      value={total}
      maxValue={Math.max(limit, 0)}
      valueLabel={`${amount}, ${rest}`}
    >
      {words(<Label className={css.label ?? ''}>{label}</Label>)}
      <div className={css.track}>
        <div className={css.used} style={{ inlineSize: `${usedPart}%` }} />
        {added > 0 && <div className={css.added} style={{ inlineSize: `${Math.min(100 - usedPart, part(added))}%` }} />}
      </div>
    </AriaMeter>
  )
}
