import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { Spinner } from '../../ui/feedback/Spinner'
import type { LinePlace } from './TableGrid'
import { WholeLine } from './WholeLine'
import css from './WholeLine.module.css'

interface MoreLineProps extends LinePlace {
  groupKey: string
  /** Number of rows not shown; undefined if unknown. */
  left: number | undefined
  isLoading: boolean
  /** None of the rows could be loaded; pressing the line retries. */
  hasFailed: boolean
  onMore: () => void
}

/** The last line in a group that has more rows to load. */
export function MoreLine({ groupKey, left, isLoading, hasFailed, onMore, ...place }: MoreLineProps) {
  const t = useT('patterns')
  const format = useFormat()
  function more(line: HTMLElement) {
    // the line disappears when all rows are loaded, so the focus moves to the last row before it
    ;(line.previousElementSibling as HTMLElement | null)?.focus({ preventScroll: true })
    onMore()
  }
  return (
    <WholeLine {...place} id={`more ${groupKey}`} className={css.more} onPress={more}>
      {isLoading ? (
        <>
          <Spinner /> {t('table.loadingMore')}
        </>
      ) : hasFailed ? (
        t('table.group.failedRows')
      ) : left === undefined ? (
        t('table.group.more')
      ) : (
        t('table.group.moreOf', { count: left, shown: format.number(left) })
      )}
    </WholeLine>
  )
}
