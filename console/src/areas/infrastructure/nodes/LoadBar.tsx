import { useFormat } from '../../../i18n/use-format'
import { clamp } from '../../../lib/numbers'
import { ReadAt } from './ReadAt'
import css from './LoadBar.module.css'

interface LoadBarProps {
  /** Value from 0 to 1; null while unknown. */
  share: number | null
  /** When the value was measured; set if it is outdated. An outdated value is shown as a number without a bar. */
  readAt: string | null | undefined
}

/** Shows a share as a short bar with a percentage, for table cells. */
export function LoadBar({ share, readAt }: LoadBarProps) {
  const { percent } = useFormat()
  if (share === null) return <>–</>
  return (
    <span className={css.load}>
      {readAt === undefined && (
        <span className={css.track} aria-hidden>
          <span className={css.used} style={{ inlineSize: `${clamp(share, 0, 1) * 100}%` }} />
        </span>
      )}
      <bdi className={css.number}>{percent(share, 0)}</bdi>
      {readAt && <ReadAt at={readAt} />}
    </span>
  )
}
