import { useId, type ReactNode } from 'react'
import { problemText } from '../../api/problem-text'
import type { View } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import css from './account.module.css'

interface SectionProps<Item> {
  title: string
  help?: string | undefined
  actions?: ReactNode
  view: View<Item>
  children: (item: Item) => ReactNode
}

/** A section of the account page with a heading, actions, and either the loaded data or the error. */
export function Section<Item>({ title, help, actions, view, children }: SectionProps<Item>) {
  const t = useT('account')
  const shell = useT('shell')
  const id = useId()
  const { data, problem } = view
  return (
    <section aria-labelledby={id} aria-busy={view.isLoading}>
      <header className={css.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {help !== undefined && <p>{help}</p>}
        </div>
        {data !== undefined && actions}
      </header>
      {problem ? (
        <ErrorPanel
          title={t('failed')}
          why={problemText(problem, shell)}
          id={problem.requestId}
          onRetry={view.reload}
        />
      ) : data === undefined ? (
        <Skeleton width="60%" />
      ) : (
        children(data)
      )}
    </section>
  )
}
