import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { placementKind, placements, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { CopyableCode } from '../../../ui/CopyableCode'
import { EditIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { CarrierNames } from './CarrierNames'
import { carrierWords, shownCarriers } from './carriers'
import css from './PlacementPage.module.css'
import { usePlacementActions } from './use-placement-actions'

export default function PlacementPage() {
  const t = useT('compute')
  const go = useGo()
  const id = useParam('placementId')
  const placement = useView(placements.view, { id }, { kind: placementKind })
  const { actions } = usePlacementActions({ deleted: () => go(paths.placements.list(), { keepsSearch: true }) })
  return (
    <DrawerPage
      view={placement}
      what={t('placements.one')}
      title={({ name }) => name}
      closeTo={paths.placements.list()}
      actions={actions}
    >
      {(it) => (
        <Facts
          rows={[
            it.description !== '' && [t('placements.description'), it.description],
            [t('placements.takes'), t(it.isolated ? 'placements.takesOnly' : 'placements.takesAll')],
            ...shownCarriers.map(
              (carrier) =>
                [t(carrierWords[carrier].many), <Carriers key={carrier} of={it} carrier={carrier} />] as const,
            ),
            [t('placements.instances'), <Instances key="instances" id={it.id} />],
            [t('placements.id'), <CopyableCode key="id">{it.id}</CopyableCode>],
          ]}
        />
      )}
    </DrawerPage>
  )
}

function Carriers({ of: placement, carrier }: { of: Placement; carrier: PlacementCarrier }) {
  const t = useT('compute')
  const may = useMay()
  return (
    <span className={css.editable}>
      <CarrierNames carrier={carrier} ids={placement[carrier] ?? []} />
      {may(placements.assign.needs) && (
        <Link
          to={paths.placements.assign(placement.id, carrier)}
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

const mostShown = 10

/** Those that have it, the first by name; the rest is in the list of all of them. */
function Instances({ id }: { id: string }) {
  const t = useT('compute')
  const { rows, total = 0 } = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    only: { traits: `any:${id}` },
    limit: mostShown,
  })
  if (rows.length === 0) return '–'
  return (
    <ul className={css.names}>
      {rows.slice(0, mostShown).map((instance) => (
        <li key={instance.id}>
          <Link to={paths.instances.view(instance.id)}>{instance.name}</Link>
        </li>
      ))}
      {total > mostShown && <li>{t('placements.more', { count: total - mostShown })}</li>}
    </ul>
  )
}
