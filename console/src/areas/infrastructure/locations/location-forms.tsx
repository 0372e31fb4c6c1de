import { useMemo } from 'react'
import { levelPaths } from '@mainstay/contract/infrastructure/location-rules'
import { locations, type LocationMove, type LocationTree } from '@mainstay/contract/infrastructure/locations'
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
import { DataToMove } from './DataToMove'
import { levelAbove, pathOf, locationsToMoveTo, type Location, type LocationRow } from './location-tree'

/** Calls to refetch after each change to the tree. */
export const staleCalls = [locations.tree, nodes.list, nodes.view, ...impactCalls]
/** Maximum number of nodes that one call moves. */
const MOST_NODES = 100

interface FormProps {
  onClose: () => void
}

interface NameFormProps extends FormProps {
  title: string
  verb: string
  name: string
  send: (body: { name: string }) => Promise<unknown>
}

/** Asks for the name of a location. */
function NameForm({ title, verb, name, send, onClose }: NameFormProps) {
  const t = useT('infrastructure')
  const schema = useMemo(() => z.object({ name: z.string().trim().min(1, t('locations.names.missing')) }), [t])
  return (
    <FormDialog {...{ title, verb, schema, send, onClose }} place="middle" size="small" start={{ name }}>
      <TextField name="name" label={t('locations.name')} />
    </FormDialog>
  )
}

/** Creates a room. */
export function AddRoomForm({ onClose }: FormProps) {
  const t = useT('infrastructure')
  const add = useCall(locations.create, { refresh: staleCalls, done: () => toast(t('locations.added', { count: 1 })) })
  return (
    <NameForm
      title={t('locations.addRoom')}
      verb={t('locations.addRoom')}
      name=""
      send={(body) => add.run({ params: { level: levelPaths.room }, body })}
      onClose={onClose}
    />
  )
}

/** Adds rows to a room, or racks to a row. */
export function AddLocationsForm({ location, onClose }: FormProps & { location: Location }) {
  const t = useT('infrastructure')
  const isRoom = location.domain === 'room'
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
      title={t(isRoom ? 'locations.addRows.title' : 'locations.addRacks.title', { name: location.name })}
      verb={t(isRoom ? 'locations.addRows' : 'locations.addRacks')}
      place="middle"
      size="small"
      schema={schema}
      start={{ names: '' }}
      send={({ names }) =>
        add
          .run({ params: { id: location.id }, body: { names: namesIn(names) } })
          .catch(withFields((path) => path.split('.')[0] ?? path))
      }
      onClose={onClose}
    >
      <TextArea name="names" label={t('locations.names')} help={t('locations.names.help')} />
    </FormDialog>
  )
}

/** Renames a location. */
export function RenameForm({ location: { id, name, domain }, onClose }: FormProps & { location: Location }) {
  const t = useT('infrastructure')
  const rename = useCall(locations.update, { refresh: staleCalls })
  return (
    <NameForm
      title={t('locations.rename.title', { name })}
      verb={t('locations.rename')}
      name={name}
      send={(body) => rename.run({ params: { level: levelPaths[domain], id }, body })}
      onClose={onClose}
    />
  )
}

/** Moves a row to another room, a rack to another row, or a node to another rack. */
export function MoveForm({ row, tree, onClose }: FormProps & { row: LocationRow; tree: LocationTree }) {
  const t = useT('infrastructure')
  const { id, name, location } = row
  const above = levelAbove(row.kind)
  const choices = useMemo(() => locationsToMoveTo(row, tree.locations), [row, tree])
  const move = useCall(locations.update, { refresh: staleCalls })
  const assign = useCall(locations.assignNodes, { refresh: staleCalls })
  const schema = useMemo(
    () =>
      z.object({ parent: z.string().nullable() }).superRefine(({ parent }, context) => {
        // the location may have been deleted, or have become the current one, while the form was open
        if (!choices.some(({ id: choice }) => choice === parent))
          context.addIssue({ code: 'custom', path: ['parent'], message: t('locations.move.missing') })
      }),
    [t, choices],
  )
  async function send({ parent }: { parent: string | null }) {
    const to = choices.find((one) => one.id === parent)!
    if (location) {
      const body = location.domain === 'row' ? { room_id: to.id } : { row_id: to.id }
      await move.run({ params: { level: levelPaths[location.domain], id }, body }).catch(withFields(() => 'parent'))
    } else await assign.run({ params: { id: to.id }, body: { node_ids: [id] } }).catch(withFields(() => 'parent'))
    toast(t('locations.moved', { name, location: pathOf(to, tree.locations) }))
  }
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
        label={t(`locations.move.to.${above ?? 'room'}`)}
        items={choices.map((one) => ({ id: one.id, label: pathOf(one, tree.locations) }))}
      />
      {location && <p>{t('locations.move.nodes')}</p>}
      <ChosenMove moved={location ? { location_id: id } : { node_ids: [id] }} />
    </FormDialog>
  )
}

/** Estimates the data that is moved to the chosen location. */
function ChosenMove({ moved }: { moved: Omit<LocationMove, 'to'> }) {
  const { value: to } = useBound<string | null>('parent')
  return <DataToMove move={to === null ? null : { ...moved, to }} />
}

/** Moves several nodes to a rack. */
export function AssignNodesForm({ location, tree, onClose }: FormProps & { location: Location; tree: LocationTree }) {
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
    await assign.run({ params: { id: location.id }, body }).catch(withFields((path) => path.split('.')[0] ?? path))
    toast(t('locations.assigned', { name: location.name, count: body.node_ids.length }))
  }
  return (
    <FormDialog
      title={t('locations.assign.title', { name: location.name })}
      verb={t('locations.assign')}
      schema={schema}
      start={{ node_ids: [] }}
      send={send}
      onClose={onClose}
    >
      <NodeChoice rack={location} locations={tree.locations} />
    </FormDialog>
  )
}

function NodeChoice({ rack, locations }: { rack: Location; locations: readonly Location[] }) {
  const t = useT('infrastructure')
  const { value, onChange, error } = useBound<string[]>('node_ids')
  const list = useList(nodes.list, nodeKind, { stateIn: 'memory' })
  const locationOf = (id: string) => {
    const found = locations.find((one) => one.id === id)
    return found ? pathOf(found, locations) : ''
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
          { id: 'rack', label: t('locations.one'), render: ({ rackId }) => locationOf(rackId) },
        ]}
      />
      <FieldFault>{error}</FieldFault>
      <DataToMove move={value.length > 0 && value.length <= MOST_NODES ? { node_ids: value, to: rack.id } : null} />
    </div>
  )
}
