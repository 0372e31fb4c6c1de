import type { ReactNode } from 'react'
import { problemText } from '../../../../api/problem-text'
import type { List } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import css from '../nodes.module.css'

/** Wraps a list inside a tab and shows its loading and error states. */
export function RowsOf({ list, children }: { list: List; children: ReactNode }) {
  const t = useT('nodes')
  const shell = useT('shell')
  const { problem, isLoading, reload } = list
  if (problem)
    return (
      <ErrorPanel title={t('loadFailed')} why={problemText(problem, shell)} id={problem.requestId} onRetry={reload} />
    )
  if (isLoading) return <SkeletonRows rows={4} columns={5} />
  return <div className={css.stack}>{children}</div>
}
