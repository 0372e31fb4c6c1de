import type { ListControls } from '../../../api/list-state'
import type { Translate } from '../../../i18n/use-t'
import type { ListFilter } from '../../../patterns/table/filter-text'

const DAY_MS = 86_400_000
const offeredDays = [1, 7, 14, 30]

/** The date (UTC) some days ago, as typed into the filter: `2026-11-21`. */
const dateBefore = (days: number, now: number) => new Date(now - days * DAY_MS).toISOString().slice(0, 10)

/** Filter for the first day on which a recovery point was created. Use it with `withPeriod`. */
export const periodFilter = (t: Translate<'storage'>, now: number = Date.now()): ListFilter => ({
  name: 'taken_at',
  label: t('backups.since'),
  operator: 'contains',
  options: offeredDays.map((days) => ({ value: dateBefore(days, now), label: t('backups.daysAgo', { count: days }) })),
})

/** A chosen or typed date as a filter in API syntax: this date or later. */
export function sinceFilter(text: string | null): string | null {
  if (text === null || /^(gte|lte|not):/.test(text)) return text
  const date = text.replace(/^(contains|exact|in|starts):/, '')
  return date === '' ? null : `gte:${date}`
}

/** A list whose filter for the time means "this date or later". */
export const withPeriod = <Shown extends ListControls>(list: Shown): Shown => ({
  ...list,
  setFilters(changes: Readonly<Record<string, string | null>>, search?: string) {
    const { taken_at: since, ...others } = changes
    list.setFilters({ ...others, ...(since !== undefined && { taken_at: sinceFilter(since) }) }, search)
  },
})
