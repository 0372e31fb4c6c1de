import { lazy, Suspense } from 'react'
import type { List } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { FilterBar } from '../../../../patterns/table/FilterBar'
import type { ListFilter } from '../../../../patterns/table/filter-text'
import { pointQuestion } from './point-question'

const CalendarView = lazy(() => import('./CalendarView'))
const MachinesView = lazy(() => import('./MachinesView'))

interface DaysViewProps {
  view: 'calendar' | 'machines'
  /** The list of recovery points, whose filters and search the view shares. */
  list: List
  filters: readonly ListFilter[]
}

/** A view of recovery points by day, below the filters of their list. The view determines the period. */
export function DaysView({ view, list, filters }: DaysViewProps) {
  const t = useT('storage')
  const question = pointQuestion(list)
  const offered = filters.filter(({ name }) => name !== 'taken_at')
  return (
    <>
      <FilterBar list={list} label={t('backups.many')} filters={offered} />
      <Suspense>
        {view === 'calendar' ? (
          <CalendarView question={question} />
        ) : (
          <MachinesView question={question} onReset={list.reset} />
        )}
      </Suspense>
    </>
  )
}
