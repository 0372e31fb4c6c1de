import { pointFilters } from '@mainstay/contract/storage/backup-days'
import type { ListState } from '../../../../api/list-state'

/** Filters and search of the list of recovery points, for the calls that count them. Empty: all are counted. */
export type PointQuestion = Readonly<Record<string, string>>

/** The part of a list's filters and search that the calls for days understand. */
export const pointQuestion = ({ filters, search }: Pick<ListState, 'filters' | 'search'>): PointQuestion => ({
  ...Object.fromEntries(pointFilters.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))),
  ...(search !== '' && { search }),
})

/** Filters of recovery points that choose backup plans as well, with the names that they have there. */
const planFilters: Readonly<Record<string, string>> = {
  backup_plan_id: 'id',
  backup_plan_name: 'name',
  project_id: 'project_id',
}

/** The filters for backup plans; null if a filter or the search applies only to recovery points that exist. */
export function planQuestion(question: PointQuestion): PointQuestion | null {
  const asked = Object.entries(question).map(([name, value]) => [planFilters[name], value] as const)
  return asked.every(([name]) => name !== undefined) ? (Object.fromEntries(asked) as PointQuestion) : null
}
