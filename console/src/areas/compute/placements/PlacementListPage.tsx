import { placementKind, placements, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import { useList } from '../../../api/use-list'
import { textsNow, useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { AddLink } from '../../../patterns/AddLink'
import { columns } from '../../../patterns/columns'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import { Amount } from '../../../ui/Bytes'
import { DeleteIcon } from '../../../ui/icons'
import { carrierWords, shownCarriers } from './carriers'
import { usePlacementActions } from './use-placement-actions'

const column = columns<Placement>('compute')
const count = (carrier: PlacementCarrier) =>
  column.node(carrier, carrierWords[carrier].many, (placement) => <Amount of={placement[carrier]?.length ?? 0} />, {
    isAtEnd: true,
    width: 110,
  })
const placementColumns = [
  column.link('name', 'placements.name', paths.placements.view),
  column.node(
    'isolated',
    'placements.takes',
    ({ isolated }) => textsNow('compute')(isolated ? 'placements.takesOnly' : 'placements.takesAll'),
    { width: 220 },
  ),
  ...shownCarriers.map(count),
  column.text('description', 'placements.description', { width: 240, isHidden: true }),
]

export default function PlacementListPage() {
  const t = useT('compute')
  const list = useList(placements.list, placementKind)
  const { mayRemove, remove, actions, usedBecause } = usePlacementActions()
  const add = (
    <AddLink to={paths.placements.add()} needs={placements.create.needs}>
      {t('placements.add')}
    </AddLink>
  )
  return (
    <Page title={t('placements.title')} actions={add} isFilled>
      <ResourceTable
        list={list}
        label={t('placements.many')}
        columns={placementColumns}
        actions={actions}
        filters={[
          { name: 'name', label: t('placements.name') },
          {
            name: 'isolated',
            label: t('placements.takes'),
            operator: 'exact',
            options: [
              { value: 'true', label: t('placements.takesOnly') },
              { value: 'false', label: t('placements.takesAll') },
            ],
          },
        ]}
        bulk={
          mayRemove
            ? [
                {
                  label: t('delete'),
                  icon: DeleteIcon,
                  isDanger: true,
                  ask: (many) => t('placements.deleteMany', { count: many }),
                  verb: (many) => t('placements.deleteManyVerb', { count: many }),
                  done: (many) => t('placements.deleted', { count: many }),
                  skippedBecause: usedBecause,
                  run: remove,
                },
              ]
            : []
        }
        empty={t('placements.empty')}
        emptyAction={add}
      />
    </Page>
  )
}
