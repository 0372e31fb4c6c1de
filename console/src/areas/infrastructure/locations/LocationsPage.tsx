import { useMemo, useState } from 'react'
import { locationKind, locations } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Page } from '../../../patterns/Page'
import { PageColumns } from '../../../patterns/PageColumns'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { AddIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { ImpactTable } from '../impact/ImpactTable'
import { worstFirst } from '../impact/impact-words'
import { useImpact } from '../impact/use-impact'
import { HoldingData } from './HoldingData'
import css from './locations.module.css'
import { AddLocationsForm, AddRoomForm, AssignNodesForm, MoveForm, RenameForm } from './location-forms'
import { LocationTable } from './LocationTable'
import { locationRows, type LocationRow } from './location-tree'
import { useLocationActions, type LocationForm } from './use-location-actions'
import { WorstCase } from './WorstCase'

/** With more nodes than this, racks are collapsed initially. */
const MANY_NODES = 50
const none: ReadonlySet<string> = new Set()

/** Returns a copy of the set: IDs that were missing are added, and IDs that were present are removed. */
function withToggled(set: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const changed = new Set(set)
  for (const id of ids) if (!changed.delete(id)) changed.add(id)
  return changed
}

/** `/infrastructure/locations`: the locations of nodes, and the effects of a failure of a node or a location. */
export default function LocationsPage() {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const may = useMay()
  const tree = useView(locations.tree, {}, { madeOf: [locationKind.name, nodeKind.name] })
  const impact = useImpact()
  const [toggled, setToggled] = useState(none)
  const [level, setLevel] = useState<LocationRow['kind']>('rack')
  const [asked, setAsked] = useState<'room' | { form: LocationForm; row: LocationRow }>()
  const actionsOf = useLocationActions(tree.data, (form, row) => setAsked({ form, row }))

  const closed = useMemo(() => {
    const { nodes, locations: all } = tree.data ?? { nodes: [], locations: [] }
    const racks = nodes.length > MANY_NODES ? all.filter(({ domain }) => domain === 'rack').map(({ id }) => id) : []
    return withToggled(toggled, racks)
  }, [tree.data, toggled])
  const impacts = useMemo(
    () => new Map((impact.data?.rows ?? []).map((row) => [`${row.kind} ${row.id}`, row])),
    [impact.data],
  )
  const impactOf = ({ kind, id }: Pick<LocationRow, 'kind' | 'id'>) => impacts.get(`${kind} ${id}`)
  const [worst] = worstFirst((impact.data?.rows ?? []).filter(({ kind }) => kind === level))
  const toggle = (id: string) => setToggled((before) => withToggled(before, [id]))
  const close = () => setAsked(undefined)
  const problem = tree.problem ?? impact.problem
  const reload = () => {
    tree.reload()
    impact.reload()
  }
  return (
    <Page
      title={t('locations.title')}
      actions={
        may(locations.create.needs) && (
          <Button variant="primary" icon={AddIcon} onPress={() => setAsked('room')}>
            {t('locations.addRoom')}
          </Button>
        )
      }
    >
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!tree.data && !problem && <Skeleton width="320px" />}
      {tree.data && (
        <PageColumns
          side={
            <>
              {impact.data && <WorstCase level={level} onLevel={setLevel} worst={worst} />}
              <HoldingData />
            </>
          }
        >
          <div className={css.tree}>
            <Panel isFlush title={t('locations.tree')}>
              <LocationTable
                rows={locationRows(tree.data, closed)}
                closed={closed}
                onToggle={toggle}
                impactOf={impactOf}
                actionsOf={actionsOf}
                isMarked={({ kind, id }) => kind === worst?.kind && id === worst.id}
              />
            </Panel>
            <p className={css.note}>{t('locations.sums')}</p>
          </div>
        </PageColumns>
      )}
      {impact.data && <ImpactTable rows={impact.data.rows} countedAt={impact.data.counted_at} />}
      {asked === 'room' && <AddRoomForm onClose={close} />}
      {tree.data && typeof asked === 'object' && (
        <>
          {asked.form === 'add' && asked.row.location && (
            <AddLocationsForm location={asked.row.location} onClose={close} />
          )}
          {asked.form === 'rename' && asked.row.location && (
            <RenameForm location={asked.row.location} onClose={close} />
          )}
          {asked.form === 'move' && <MoveForm row={asked.row} tree={tree.data} onClose={close} />}
          {asked.form === 'assign' && asked.row.location && (
            <AssignNodesForm location={asked.row.location} tree={tree.data} onClose={close} />
          )}
        </>
      )}
    </Page>
  )
}
