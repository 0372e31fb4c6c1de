import { useLocale } from 'react-aria-components/I18nProvider'
import { useProgressBar } from 'react-aria/useProgressBar'
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

/**
 * Uses the hook instead of the component of react-aria-components: its buttons import the module of that component,
 * and with it the number formatter would become part of every first page.
 */
export function ProgressBar({ label, share, detail, isBare = false }: ProgressBarProps) {
  const { locale } = useLocale()
  const known = share === null ? null : clamp(share, 0, 1)
  const { progressBarProps, labelProps } = useProgressBar({
    isIndeterminate: known === null,
    value: (known ?? 0) * 100,
    ...(isBare ? { 'aria-label': label } : { label }),
    ...(detail !== undefined && { valueLabel: detail }),
  })
  return (
    <div {...progressBarProps} className={css.progress}>
      {!isBare && (
        <div className={css.words}>
          <span {...labelProps} className={css.label}>
            {label}
          </span>
          <bdi className={css.detail}>{detail ?? (known === null ? '' : formatPercent(known, locale, 0))}</bdi>
        </div>
      )}
      <div className={classes(css.track, known === null && css.unknown)}>
        <div className={css.bar} style={known === null ? undefined : { inlineSize: `${known * 100}%` }} />
      </div>
    </div>
  )
}
