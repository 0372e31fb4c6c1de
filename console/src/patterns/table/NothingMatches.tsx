import { facets } from '@mainstay/contract/core/lists/facets'
import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import type { List } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { isExcluding, valueLabels, type ListFilter } from './filter-text'

/** Limit on the number of requests; filters beyond it are not checked. */
const MOST_ASKED = 5

type Asked = Pick<List, 'kind' | 'question' | 'filters' | 'setFilters' | 'reset'>

/** Number of rows that match without the given filter; a lower bound if values were not counted. */
async function rowsWithout({ kind, question }: Asked, name: string, signal: AbortSignal): Promise<number> {
  const { [name]: _taken, ...others } = question
  const query = { ...others, field: name, limit: 100 }
  const { data } = await call(facets.values, { params: { kind: kind.name }, query }, { signal })
  return data.reduce((sum, { count }) => sum + (count ?? 1), 0)
}

/** Shown when no row matches: names the most restrictive filter and offers to remove it. */
export default function NothingMatches({ list, filters }: { list: Asked; filters: readonly ListFilter[] }) {
  const t = useT('patterns')
  const [found, setFound] = useState<{ asked: string; filter: ListFilter | undefined }>()
  const asked = JSON.stringify(list.question)
  useEffect(() => {
    const stop = new AbortController()
    const active = filters.filter(({ name }) => list.filters[name] !== undefined).slice(0, MOST_ASKED)
    Promise.all(
      active.map(async (filter) => ({ filter, rows: await rowsWithout(list, filter.name, stop.signal) })),
    ).then(
      (all) => {
        const [most] = all.toSorted((one, other) => other.rows - one.rows)
        setFound({ asked, filter: most && most.rows > 0 ? most.filter : undefined })
      },
      // the hint is optional, so errors are ignored
      () => {},
    )
    return () => stop.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- the query identifies the requested list completely
  }, [asked])
  const filter = found?.asked === asked ? found.filter : undefined
  const text = (filter && list.filters[filter.name]) ?? ''
  const value = filter ? valueLabels(filter, text) : ''
  const words = filter && `${filter.label}: ${isExcluding(filter, text) ? t('table.not', { value }) : value}`
  return (
    <EmptyState
      action={
        <>
          {words && (
            <Button onPress={() => list.setFilters({ [filter.name]: null })}>
              {t('table.takeAway', { filter: words })}
            </Button>
          )}
          <Button onPress={list.reset}>{t('table.resetFilters')}</Button>
        </>
      }
    >
      <span>{t('table.nothingMatches')}</span> {words && <span>{t('table.leftOut', { filter: words })}</span>}
    </EmptyState>
  )
}
