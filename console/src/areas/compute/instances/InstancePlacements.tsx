import type { Instance } from '@mainstay/contract/compute/instances'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { usePlacements } from './use-placements'

/** Placements by name. Of those that only operators know, how many there are. */
export function InstancePlacements({ of: { traits } }: { of: Pick<Instance, 'traits'> }) {
  const t = useT('compute')
  const format = useFormat()
  const known = usePlacements().filter(({ id }) => traits.includes(id))
  const others = traits.length - known.length
  if (traits.length === 0) return '–'
  const names = known.map(({ name }) => name)
  return <bdi>{format.list(others > 0 ? [...names, t('instances.otherPlacements', { count: others })] : names)}</bdi>
}
