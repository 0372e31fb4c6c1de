import type { ReactNode } from 'react'
import { problemText } from '../../api/problem-text'
import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { ProgressBar } from '../../ui/feedback/ProgressBar'
import { groupBy } from './bulk'
import css from './bulk-run.module.css'
import { ObjectGroups } from './ObjectGroups'
import type { FollowedRun } from './use-bulk-run'

/** The progress of a run, then the objects that failed or were not started, grouped by reason. */
export function BulkOutcome({ followed, actions }: { followed: FollowedRun; actions?: ReactNode }) {
  const t = useT('bulk')
  const shell = useT('shell')
  const { run, problem, finished, isOver, left } = followed
  const all = run?.count ?? 0
  return (
    <div className={css.parts}>
      {problem && <Banner tone="warn">{problemText(problem, shell)}</Banner>}
      {!isOver && <ProgressBar label={t('progress', { finished, all })} share={all === 0 ? 0 : finished / all} />}
      {left && left.length > 0 && (
        <ObjectGroups
          groups={groupBy(left, ({ state, error }) =>
            state === 'cancelled' ? t('notBegun') : (error ?? t('noReason')),
          )}
        />
      )}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  )
}
