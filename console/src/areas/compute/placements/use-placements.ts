import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { MAX_LIMIT } from '@mainstay/contract/core/paging'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { useMay } from '../../../session/may'

/** Placements that the caller may know of. All that ask share one answer. */
export function usePlacements() {
  const may = useMay()
  const isEnabled = may(placements.list.needs)
  return useList(placements.list, placementKind, { stateIn: 'memory', limit: MAX_LIMIT, isEnabled }).rows
}

/** The filter by placement, for lists of what has some: where there are a few to choose from. */
export function usePlacementFilters(): ListFilter[] {
  const t = useT('compute')
  const placements = usePlacements()
  if (placements.length === 0 || placements.length > 12) return []
  const options = placements.map(({ id, name }) => ({ value: id, label: name }))
  return [{ name: 'traits', label: t('placements.one'), operator: 'any', options }]
}
