import { explanations } from '@mainstay/contract/identity/explanations'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call'
import { asProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import { viewKey } from '../../api/keys'
import { useT } from '../../i18n/use-t'
import { viewPath } from '../../nav/known-pages'
import { Link } from '../../nav/Link'
import { Button } from '../../ui/Button'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { UsersIcon } from '../../ui/icons'
import css from './permissions.module.css'
import { useRoleWords } from './use-role-words'

interface HolderListProps {
  query: { call: string; project_id?: string; object_id?: string }
  project: string
}

/**
 * Other users in the caller's administrative scope who may make the call. Loaded on demand, because every user has to
 * be checked.
 */
export function HolderList(props: HolderListProps) {
  const t = useT('permissions')
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <div>
        <Button icon={UsersIcon} onPress={() => setAsked(true)}>
          {t('holders.ask')}
        </Button>
      </div>
    )
  return (
    <section className={css.part}>
      <h3>{t('holders')}</h3>
      <People {...props} />
    </section>
  )
}

function People({ query, project }: HolderListProps) {
  const t = useT('permissions')
  const shell = useT('shell')
  const words = useRoleWords(project)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: viewKey('', explanations.holders, {}, query),
    queryFn: ({ pageParam, signal }) =>
      call(explanations.holders, { query: { ...query, ...(pageParam && { marker: pageParam }) } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  if (isPending) return <Skeleton width="60%" />
  if (!data)
    return (
      <ErrorPanel
        title={t('holders.failed')}
        why={problemText(asProblem(error), shell)}
        id={asProblem(error).requestId}
        onRetry={() => void refetch()}
      />
    )
  const people = data.pages.flatMap((page) => page.data)
  return (
    <>
      {people.length === 0 && !hasNextPage && <p className={css.note}>{t('holders.none')}</p>}
      <ul className={css.roles}>
        {people.map(({ id, name, roles }) => {
          const place = viewPath('user', id)
          return (
            <li key={id}>
              <span className={css.words}>
                {place === undefined ? name : <Link to={place}>{name}</Link>}
                <span className={css.note}>{words.list(roles)}</span>
              </span>
            </li>
          )
        })}
      </ul>
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t('holders.more')}
          </Button>
        </div>
      )}
    </>
  )
}
