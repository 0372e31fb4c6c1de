import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { useMay } from '../../../session/may'

/** Placements that the user can see. All callers share one request. */
export function usePlacements(isNeeded = true) {
  const may = useMay()
  const isEnabled = isNeeded && may(placements.list.needs)
  return useList(placements.list, placementKind, { stateIn: 'memory', limit: MAX_LIMIT, isEnabled }).rows
}

/** Filter by placement. Omitted if there are too many placements to list. */
export function usePlacementFilters(isNeeded = true): ListFilter[] {
  const t = useT('compute')
  const placements = usePlacements(isNeeded)
  if (placements.length === 0 || placements.length > 12) return []
  const options = placements.map(({ id, name }) => ({ value: id, label: name }))
  return [{ name: 'traits', label: t('placements.one'), operator: 'any', options }]
}
