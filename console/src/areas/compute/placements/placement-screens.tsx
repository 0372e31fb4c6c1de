import {
  type Placement,
  type PlacementCarrier,
  type PlacementDraft,
  placements,
} from '@mainstay/contract/compute/placements'
import { useT } from '../../../i18n/use-t'
import { columns } from '../../../patterns/table/columns'
import { fields } from '../../../patterns/resource/fields'
import { screens } from '../../../patterns/resource/screens'
import { Amount } from '../../../ui/values/Bytes'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'
import { carriersOf, carrierWords, shownCarriers } from './carriers'
import { PlacedInstances } from './PlacedInstances'
import { placementResource } from './resource'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { EditIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { CarrierNames } from './CarrierNames'
import css from './placements.module.css'

/** A placement's carriers, with a link for changing them. */
function PlacementCarriers({ of: placement, carrier }: { of: Placement; carrier: PlacementCarrier }) {
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

const column = columns<Placement>('compute')
const field = fields<PlacementDraft>('compute')
const takes = ({ isolated }: Pick<Placement, 'isolated'>) => (isolated ? 'placements.takesOnly' : 'placements.takesAll')
const count = (carrier: PlacementCarrier) =>
  column.node(carrier, carrierWords[carrier].many, (placement) => <Amount of={placement[carrier]?.length ?? 0} />, {
    isAtEnd: true,
    width: 110,
  })

export default screens(placementResource, {
  columns: [
    column.link('name', 'placements.name', placementResource.paths.view),
    column.node('isolated', 'placements.takes', (placement, { t }) => t(takes(placement)), {
      width: 220,
      card: 'plain',
    }),
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
  // the server decides; this check covers only what is known without a request
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
  form: {
    create: {
      schema: () => import('@mainstay/contract/compute/placements').then((it) => it.PlacementDraft),
      start: { name: '', description: '', isolated: false },
    },
    update: {
      schema: () => import('@mainstay/contract/compute/placements').then((it) => it.PlacementChange.required()),
      start: ({ name, description, isolated }) => ({ name, description, isolated }),
      useBarred,
    },
    useFields,
  },
})

/** Form fields for a placement. Some clouds support only a name. */
function useFields() {
  return useEngineHasPlacementDetails()
    ? [
        field.text('name', 'placements.name'),
        field.textArea('description', 'placements.description', { isOptional: true }),
        field.checkbox('isolated', 'placements.isolated', { help: 'placements.isolatedHelp' }),
      ]
    : [field.text('name', 'placements.name', { help: 'placements.nameHelp' })]
}

function useBarred() {
  const t = useT('compute')
  return useEngineHasPlacementDetails() ? undefined : t('placements.fixed')
}
