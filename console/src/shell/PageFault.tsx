import { asProblem } from '../api/problem'
import { problemText } from '../api/problem-text'
import { useT } from '../i18n/use-t'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import css from './PageFault.module.css'

/** In the place of a page whose guard or code could not be loaded, or that broke. */
export function PageFault({ error }: { error: unknown }) {
  const t = useT('shell')
  const problem = asProblem(error)
  return (
    <div className={css.place}>
      <ErrorPanel
        title={t('page.loadFailed')}
        why={problemText(problem, t)}
        id={problem.requestId}
        // code that could not be fetched is fetched anew only by a fresh page
        onRetry={() => location.reload()}
      />
    </div>
  )
}
