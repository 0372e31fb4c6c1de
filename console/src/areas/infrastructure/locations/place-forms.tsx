import { useMemo } from 'react'
import { levelPaths } from '@mainstay/contract/infrastructure/location-rules'
import { locations, type LocationTree } from '@mainstay/contract/infrastructure/locations'
import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { ComboBox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { withFields } from '../../../patterns/form/with-fields'
import { PickTable } from '../../../pickers/PickTable'
import { impactCalls } from '../impact/use-impact'
import { pathOf, placesToMoveTo, type Place, type PlaceRow } from './place-tree'

/** Calls that are read again after each change of the tree. */
export const staleCalls = [locations.tree, nodes.list, nodes.view, ...impactCalls]
/** Most nodes that one call moves. */
const MOST_NODES = 100

interface FormProps {
  onClose: () => void
}

/** Creates a room. */
export function AddRoomForm({ onClose }: FormProps) {
  const t = useT('infrastructure')
  const add = useCall(locations.create, { refresh: staleCalls, done: () => toast(t('locations.added', { count: 1 })) })
  const schema = useMemo(() => z.object({ name: z.string().trim().min(1, t('locations.names.missing')) }), [t])
  return (
    <FormDialog
      title={t('locations.addRoom')}
      verb={t('locations.addRoom')}
      place="middle"
      size="small"
      schema={schema}
      start={{ name: '' }}
      send={(body) => add.run({ params: { level: levelPaths.room }, body })}
      onClose={onClose}
    >
      <TextField name="name" label={t('locations.name')} />
    </FormDialog>
  )
}

/** Adds rows to a room, or racks to a row. */
export function AddPlacesForm({ place, onClose }: FormProps & { place: Place }) {
  const t = useT('infrastructure')
  const isRoom = place.domain === 'room'
  const add = useCall(isRoom ? locations.createRows : locations.createRacks, {
    refresh: staleCalls,
    done: (created) => toast(t('locations.added', { count: created.length })),
  })
  const schema = useMemo(() => z.object({ names: z.string().trim().min(1, t('locations.names.missing')) }), [t])
  const namesIn = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  return (
    <FormDialog
      title={t(isRoom ? 'locations.addRows.title' : 'locations.addRacks.title', { name: place.name })}
      verb={t(isRoom ? 'locations.addRows' : 'locations.addRacks')}
      place="middle"
      size="small"
      schema={schema}
      start={{ names: '' }}
      send={({ names }) =>
        add
          .run({ params: { id: place.id }, body: { names: namesIn(names) } })
          .catch(withFields((path) => path.split('.')[0] ?? path))
      }
      onClose={onClose}
    >
      <TextArea name="names" label={t('locations.names')} help={t('locations.names.help')} />
    </FormDialog>
  )
}

/** Renames a place. */
export function RenameForm({ place: { id, name, domain }, onClose }: FormProps & { place: Place }) {
  const t = useT('infrastructure')
  const rename = useCall(locations.update, { refresh: staleCalls })
  const schema = useMemo(() => z.object({ name: z.string().trim().min(1, t('locations.names.missing')) }), [t])
  return (
    <FormDialog
      title={t('locations.rename.title', { name })}
      verb={t('locations.rename')}
      place="middle"
      size="small"
      schema={schema}
      start={{ name }}
      send={(body) => rename.run({ params: { level: levelPaths[domain], id }, body })}
      onClose={onClose}
    >
      <TextField name="name" label={t('locations.name')} />
    </FormDialog>
  )
}

/** Moves a row to another room, a rack to another row, or a node to another rack. */
export function MoveForm({ row, tree, onClose }: FormProps & { row: PlaceRow; tree: LocationTree }) {
  const t = useT('infrastructure')
  const { id, name, place } = row
  const choices = placesToMoveTo(row, tree.locations)
  const move = useCall(locations.update, { refresh: staleCalls })
  const assign = useCall(locations.assignNodes, { refresh: staleCalls })
  const schema = useMemo(
    () =>
      z.object({ parent: z.string().nullable() }).superRefine(({ parent }, context) => {
        if (parent === null)
          context.addIssue({ code: 'custom', path: ['parent'], message: t('locations.move.missing') })
      }),
    [t],
  )
  async function send({ parent }: { parent: string | null }) {
    const to = choices.find((one) => one.id === parent)
    if (!to) return
    if (place) {
      const body = place.domain === 'row' ? { room_id: to.id } : { row_id: to.id }
      await move.run({ params: { level: levelPaths[place.domain], id }, body }).catch(withFields(() => 'parent'))
    } else await assign.run({ params: { id: to.id }, body: { node_ids: [id] } }).catch(withFields(() => 'parent'))
    toast(t('locations.moved', { name, place: pathOf(to, tree.locations) }))
  }
  const above = place ? (place.domain === 'row' ? 'room' : 'row') : 'rack'
  return (
    <FormDialog
      title={t('locations.move.title', { name })}
      verb={t('locations.move')}
      place="middle"
      size="small"
      schema={schema}
      start={{ parent: null }}
      send={send}
      onClose={onClose}
    >
      <ComboBox
        name="parent"
        label={t(`locations.move.to.${above}`)}
        items={choices.map((one) => ({ id: one.id, label: pathOf(one, tree.locations) }))}
      />
      {place && <p>{t('locations.move.nodes')}</p>}
    </FormDialog>
  )
}

/** Moves several nodes to a rack. */
export function AssignNodesForm({ place, tree, onClose }: FormProps & { place: Place; tree: LocationTree }) {
  const t = useT('infrastructure')
  const assign = useCall(locations.assignNodes, { refresh: staleCalls })
  const schema = useMemo(
    () =>
      z.object({
        node_ids: z
          .array(z.string())
          .min(1, t('locations.assign.missing'))
          .max(MOST_NODES, t('locations.assign.many', { most: MOST_NODES })),
      }),
    [t],
  )
  async function send(body: { node_ids: string[] }) {
    await assign.run({ params: { id: place.id }, body }).catch(withFields((path) => path.split('.')[0] ?? path))
    toast(t('locations.assigned', { name: place.name, count: body.node_ids.length }))
  }
  return (
    <FormDialog
      title={t('locations.assign.title', { name: place.name })}
      verb={t('locations.assign')}
      schema={schema}
      start={{ node_ids: [] }}
      send={send}
      onClose={onClose}
    >
      <NodeChoice rack={place} places={tree.locations} />
    </FormDialog>
  )
}

function NodeChoice({ rack, places }: { rack: Place; places: readonly Place[] }) {
  const t = useT('infrastructure')
  const { value, onChange, error } = useBound<string[]>('node_ids')
  const list = useList(nodes.list, nodeKind, { stateIn: 'memory' })
  const placeOf = (id: string) => {
    const found = places.find((one) => one.id === id)
    return found ? pathOf(found, places) : ''
  }
  return (
    <div>
      <PickTable
        label={t('locations.assign.choose')}
        list={list}
        nameOf={({ host }) => host}
        chosen={value}
        onChoose={({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((other) => other !== id))}
        isMultiple
        disabledBecause={({ rackId }) => (rackId === rack.id ? t('locations.assign.here') : undefined)}
        empty={t('locations.assign.none')}
        columns={[
          { id: 'host', label: t('locations.levels.node'), render: ({ host }) => host },
          { id: 'rack', label: t('locations.place'), render: ({ rackId }) => placeOf(rackId) },
        ]}
      />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
