import { useId } from 'react'
import { useLocale } from 'react-aria-components/I18nProvider'
import { classes } from '../lib/classes'
import { clamp, formatNumber } from '../lib/numbers'
import { WarnIcon } from './icons'
import { useUiText } from './ui-text'
import css from './Meter.module.css'

export interface MeterProps {
  /** Of what: "vCPUs", "Storage". */
  label: string
  used: number
  /** What this form would add; drawn while typing. */
  added?: number | undefined
  /** `null` is no limit. */
  limit: number | null
  /** How the numbers are said: `format={format.bytes}`. */
  format?: ((value: number) => string) | undefined
}

/** Use against a limit: used, plus what is being asked for, of how much. Says in words when it does not fit. */
export function Meter({ label, used, added = 0, limit, format }: MeterProps) {
  const text = useUiText()
  const { locale } = useLocale()
  const labelId = useId()
  const say = format ?? ((value: number) => formatNumber(value, locale))
  const total = used + added
  const isOver = limit !== null && total > limit
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

  return (
    <div className={classes(css.meter, isOver && css.over)}>
      <div className={css.words}>
        <span id={labelId} className={css.label}>
          {label}
        </span>
        <span className={css.amount}>{amount}</span>
        {rest && (
          <span className={css.rest}>
            {isOver && <WarnIcon />}
            {rest}
          </span>
        )}
      </div>
      {limit !== null && (
        <div
          className={css.track}
          role="meter"
          aria-labelledby={labelId}
          aria-valuemin={0}
          aria-valuemax={Math.max(limit, 0)}
          aria-valuenow={clamp(total, 0, Math.max(limit, 0))}
          aria-valuetext={`${amount}, ${rest}`}
        >
          <div className={css.used} style={{ inlineSize: `${usedPart}%` }} />
          <div className={css.added} style={{ inlineSize: `${Math.min(100 - usedPart, part(added))}%` }} />
        </div>
      )}
    </div>
  )
}
