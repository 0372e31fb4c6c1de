import type { Placement, PlacementCarrier } from '@mainstay/contract/compute/placements'
import { columns } from '../../../patterns/table/columns'
import { screens } from '../../../patterns/resource/screens'
import { Amount } from '../../../ui/values/Bytes'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'
import { carriersOf, carrierWords, shownCarriers } from './carriers'
import { PlacedInstances } from './PlacedInstances'
import { PlacementCarriers } from './PlacementCarriers'
import { placementResource } from './resource'

const column = columns<Placement>('compute')
const takes = ({ isolated }: Pick<Placement, 'isolated'>) => (isolated ? 'placements.takesOnly' : 'placements.takesAll')
const count = (carrier: PlacementCarrier) =>
  column.node(carrier, carrierWords[carrier].many, (placement) => <Amount of={placement[carrier]?.length ?? 0} />, {
    isAtEnd: true,
    width: 110,
  })

export default screens(placementResource, {
  columns: [
    column.link('name', 'placements.name', placementResource.paths.view),
    column.node('isolated', 'placements.takes', (placement, { t }) => t(takes(placement)), { width: 220 }),
    ...shownCarriers.map(count),
    column.text('description', 'placements.description', { width: 240, isHidden: true }),
  ],
  filters: (t) => [
    'name',
    {
      name: 'isolated',
      operator: 'exact',
      options: [true, false].map((isolated) => ({ value: String(isolated), label: t(takes({ isolated })) })),
    },
  ],
  useMayEdit: useEngineHasPlacementDetails,
  // the server knows best; what is seen here already needs no question
  deleteBarred: (placement, t) => (carriersOf(placement).length > 0 ? t('placements.isUsed') : undefined),
  facts: (placement, t) => [
    placement.description !== '' && [t('placements.description'), placement.description],
    [t('placements.takes'), t(takes(placement))],
    ...shownCarriers.map(
      (carrier) =>
        [t(carrierWords[carrier].many), <PlacementCarriers key={carrier} of={placement} carrier={carrier} />] as const,
    ),
    [t('placements.instances'), <PlacedInstances key="instances" id={placement.id} />],
  ],
})
