import { placements, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { EditIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { CarrierNames } from './CarrierNames'
import css from './PlacementCarriers.module.css'
import { carrierWords } from './carriers'
import { placementResource } from './resource'

/** What carries a placement, and the way to change it. */
export function PlacementCarriers({ of: placement, carrier }: { of: Placement; carrier: PlacementCarrier }) {
  const t = useT('compute')
  const may = useMay()
  return (
    <span className={css.editable}>
      <CarrierNames carrier={carrier} ids={placement[carrier] ?? []} />
      {may(placements.assign.needs) && (
        <Link
          to={placementResource.paths.below(placement.id, 'assign', carrier)}
          keepsSearch
          className={buttonClass({ variant: 'plain', size: 'small' }, css.pencil)}
        >
          <EditIcon />
          <VisuallyHidden>{t(carrierWords[carrier].title, { name: placement.name })}</VisuallyHidden>
        </Link>
      )}
    </span>
  )
}
