import { asProblem } from '../api/problem'
import { problemText } from '../api/problem-text'
import { useT } from '../i18n/use-t'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import css from './PageFault.module.css'

/** Shown instead of a page that failed to load or to render. */
export function PageFault({ error }: { error: unknown }) {
  const t = useT('shell')
  const problem = asProblem(error)
  return (
    <div className={css.place}>
      <ErrorPanel
        title={t('page.loadFailed')}
        why={problemText(problem, t)}
        id={problem.requestId}
        // only a page reload fetches a failed code chunk again
        onRetry={() => location.reload()}
      />
    </div>
  )
}
