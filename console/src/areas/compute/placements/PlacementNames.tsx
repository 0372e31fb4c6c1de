import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { usePlacements } from './use-placements'

/** Placement names. Placements visible only to operators are shown as a count. */
export function PlacementNames({ ids }: { ids: readonly string[] }) {
  const t = useT('compute')
  const format = useFormat()
  const known = usePlacements().filter(({ id }) => ids.includes(id))
  const others = ids.length - known.length
  if (ids.length === 0) return '–'
  const names = known.map(({ name }) => name)
  return <bdi>{format.list(others > 0 ? [...names, t('placements.others', { count: others })] : names)}</bdi>
}
