import { useFormat } from '../../../../i18n/use-format'
import css from './LoadBar.module.css'

/** A share of 0 to 100 as a figure with a small bar under it. Nothing known is a dash and no bar. */
export function LoadBar({ of }: { of: number | null }) {
  const format = useFormat()
  if (of === null) return <>–</>
  return (
    <span className={css.load}>
      <span className={css.figure}>{format.percent(of / 100, 0)}</span>
      <span className={css.track} aria-hidden="true">
        <span className={css.bar} style={{ inlineSize: `${Math.min(100, Math.max(0, of))}%` }} />
      </span>
    </span>
  )
}
