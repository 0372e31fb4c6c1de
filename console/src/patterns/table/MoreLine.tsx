import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { Spinner } from '../../ui/feedback/Spinner'
import type { LinePlace } from './TableGrid'
import { WholeLine } from './WholeLine'
import css from './WholeLine.module.css'

interface MoreLineProps extends LinePlace {
  groupKey: string
  /** How many are not shown; undefined where nobody has counted them. */
  left: number | undefined
  isLoading: boolean
  /** None of them could be loaded; pressing it tries again. */
  hasFailed: boolean
  onMore: () => void
}

/** The end of a group of which not all rows are shown, or none. */
export function MoreLine({ groupKey, left, isLoading, hasFailed, onMore, ...place }: MoreLineProps) {
  const t = useT('patterns')
  const format = useFormat()
  function more(line: HTMLElement) {
    // the line goes when all rows are there, and they come behind this one
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
