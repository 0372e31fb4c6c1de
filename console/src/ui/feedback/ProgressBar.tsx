import { useLocale } from 'react-aria-components/I18nProvider'
import { Label } from 'react-aria-components/Label'
import { ProgressBar as AriaProgressBar } from 'react-aria-components/ProgressBar'
import { classes } from '../../lib/classes'
import { clamp, formatPercent } from '../../lib/numbers'
import css from './ProgressBar.module.css'

export interface ProgressBarProps {
  /** Name of the operation: "Uploading debian-12.qcow2". */
  label: string
  /** From 0 to 1; `null` while unknown. */
  share: number | null
  /** Shown at the end instead of the percentage: "1.2 of 4 GiB". */
  detail?: string | undefined
  /** Shows only the bar, where the text is already shown elsewhere. */
  isBare?: boolean | undefined
}

export function ProgressBar({ label, share, detail, isBare = false }: ProgressBarProps) {
  const { locale } = useLocale()
  const known = share === null ? null : clamp(share, 0, 1)
  return (
    <AriaProgressBar
      className={css.progress ?? ''}
      isIndeterminate={known === null}
      value={(known ?? 0) * 100}
      {...(isBare && { 'aria-label': label })}
      {...(detail !== undefined && { valueLabel: detail })}
    >
      {!isBare && (
        <div className={css.words}>
          <Label className={css.label ?? ''}>{label}</Label>
          <bdi className={css.detail}>{detail ?? (known === null ? '' : formatPercent(known, locale, 0))}</bdi>
        </div>
      )}
      <div className={classes(css.track, known === null && css.unknown)}>
        <div className={css.bar} style={known === null ? undefined : { inlineSize: `${known * 100}%` }} />
      </div>
    </AriaProgressBar>
  )
}
