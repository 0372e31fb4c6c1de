import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { MAX_LIMIT } from '@mainstay/contract/core/paging'
import { useList } from '../../../api/use-list'
import { useMay } from '../../../session/may'

/** Placements that the caller may know of. All that ask share one answer. */
export function usePlacements() {
  const may = useMay()
  const isEnabled = may(placements.list.needs)
  return useList(placements.list, placementKind, { stateIn: 'memory', limit: MAX_LIMIT, isEnabled }).rows
}
