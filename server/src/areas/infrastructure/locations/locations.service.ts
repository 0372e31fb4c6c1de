import { randomUUID } from 'node:crypto'
import { fieldProblem, notFound, problem } from '@mainstay/contract/core/problems'
import {
  domainAbove,
  domainOfPath,
  locationDomains,
  parentOf,
  type LocationDomain,
} from '@mainstay/contract/infrastructure/location-rules'
import {
  locationKind,
  MAX_LOCATIONS,
  MAX_TREE_NODES,
  type Location,
  type LocationChange,
  type LocationDraft,
  type LocationTree,
} from '@mainstay/contract/infrastructure/locations'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../../tools'
import { CrushPlaces } from './crush-places'
import { defaultPlaces } from './default-places'

/** Maximum number of contents that are named when a location cannot be deleted. */
const NAMED = 5

const fieldOf = { room: 'room_id', row: 'row_id' } as const
const placeOfNode = { room: 'roomId', row: 'rowId', rack: 'rackId' } as const

/** Parses the level in a path. Throws `not_found` for any other text. */
export function levelOf(level: string): LocationDomain {
  const domain = domainOfPath(level)
  if (!domain) throw notFound()
  return domain
}

/**
 * Returns all locations, and locks the tree until the end of the transaction. This keeps names unique, and nothing can
 * be placed in a location that is being deleted.
 */
export async function allLocations(records: RecordsTransaction): Promise<Location[]> {
  await records.exclusive('locations')
  return records.find<Location>(locationKind.name, {})
}

function found(all: readonly Location[], domain: LocationDomain, id: string): Location {
  const location = all.find((one) => one.id === id && one.domain === domain)
  if (!location) throw notFound()
  return location
}

export const folded = (name: string): string => name.normalize('NFKC').toLowerCase()

function checkName(all: readonly Location[], location: Location, field: string): void {
  const isTaken = all.some(
    (one) =>
      one.id !== location.id &&
      one.domain === location.domain &&
      parentOf(one) === parentOf(location) &&
      folded(one.name) === folded(location.name),
  )
  if (isTaken) throw fieldProblem(field, 'infrastructure.location_name_taken', { name: location.name })
}

type Parents = Pick<Location, 'room_id' | 'row_id'>
const noParents: Parents = { room_id: null, row_id: null }

/** Returns the parent fields for a location that is placed in the parent given in the body. */
function parentsFrom(all: readonly Location[], domain: LocationDomain, given: Omit<LocationDraft, 'name'>): Parents {
  const above = domainAbove(domain)
  for (const one of ['room', 'row'] as const)
    if (one !== above && given[fieldOf[one]] !== undefined)
      throw fieldProblem(fieldOf[one], 'infrastructure.location_parent_of_other', { domain })
  if (above !== 'room' && above !== 'row') return noParents
  const id = given[fieldOf[above]]
  if (id === undefined) throw fieldProblem(fieldOf[above], 'infrastructure.location_parent', { domain })
  const parent = all.find((one) => one.id === id && one.domain === above)
  if (!parent) throw fieldProblem(fieldOf[above], 'infrastructure.location_parent_unknown', { domain: above })
  return { room_id: parent.room_id ?? parent.id, row_id: above === 'row' ? parent.id : null }
}

export function newLocation(domain: LocationDomain, name: string, parents: Parents): Location {
  const now = new Date().toISOString()
  return { id: randomUUID(), name, domain, ...parents, is_default: false, created_at: now, updated_at: now }
}

/** Creates several locations in one parent. If one of them cannot be created, none is. */
export const createLocations = (
  tools: Tools,
  domain: LocationDomain,
  { names, field, ...given }: { names: readonly string[]; field: 'name' | 'names' } & Omit<LocationDraft, 'name'>,
): Promise<Location[]> =>
  tools.inventory.transaction(async (records, db) => {
    const all = await allLocations(records)
    const parents = parentsFrom(all, domain, given)
    if (all.length + names.length > MAX_LOCATIONS)
      throw problem('infrastructure.location_limit', { most: MAX_LOCATIONS })
    const created: Location[] = []
    for (const [at, name] of names.entries()) {
      const location = newLocation(domain, name, parents)
      checkName([...all, ...created], location, field === 'name' ? field : `${field}.${at}`)
      created.push(location)
      await records.put(locationKind.name, location)
    }
    const crush = await CrushPlaces.read(tools, records, db)
    await crush?.settle([...all, ...created], created)
    return created
  })

/**
 * Stores the locations of nodes. Locks each row first, because other fields of a node can change at the same time.
 * Returns the IDs of nodes that do not exist.
 */
async function placeNodes(
  records: RecordsTransaction,
  ids: readonly string[],
  places: Pick<Node, 'roomId'> & Partial<Pick<Node, 'rowId' | 'rackId'>>,
): Promise<string[]> {
  const missing: string[] = []
  for (const id of ids.toSorted()) {
    const node = await records.lock<Node>(nodeKind.name, id)
    if (node) await records.put(nodeKind.name, { ...node, ...places })
    else missing.push(id)
  }
  return missing
}

const nodesIn = (records: RecordsTransaction, { domain, id }: Location): Promise<Node[]> =>
  records.find<Node>(nodeKind.name, { [placeOfNode[domain]]: id })

/** Renames a location, or moves it together with its contents. */
export const updateLocation = (
  tools: Tools,
  domain: LocationDomain,
  id: string,
  { name, ...given }: LocationChange,
): Promise<Location> =>
  tools.inventory.transaction(async (records, db) => {
    const all = await allLocations(records)
    const before = found(all, domain, id)
    const isMoved = Object.values(given).some((parent) => parent !== undefined)
    const parents = isMoved ? parentsFrom(all, domain, given) : { room_id: before.room_id, row_id: before.row_id }
    if (before.is_default && (parents.room_id !== before.room_id || parents.row_id !== before.row_id))
      throw problem('infrastructure.location_default')
    const location = { ...before, ...parents, name: name ?? before.name }
    checkName(all, location, name === undefined ? fieldOf[domain === 'rack' ? 'row' : 'room'] : 'name')
    const updated = { ...location, updated_at: new Date().toISOString() }
    await records.put(locationKind.name, updated)
    const { room_id: roomId, row_id: rowId } = parents
    if (roomId === null || parentOf(location) === parentOf(before)) return updated
    const racks = all.filter(({ row_id }) => row_id === id).map((rack) => ({ ...rack, room_id: roomId }))
    for (const rack of racks) await records.put(locationKind.name, rack)
    const nodes = await nodesIn(records, before)
    const places = { roomId, ...(rowId !== null && { rowId }) }
    await placeNodes(
      records,
      nodes.map((node) => node.id),
      places,
    )
    const crush = await CrushPlaces.read(tools, records, db)
    const changed = [updated, ...racks]
    const others = all.filter((one) => !changed.some((it) => it.id === one.id))
    await crush?.settle([...others, ...changed], changed, nodes)
    return updated
  })

/** Deletes an empty location. */
export const deleteLocation = (tools: Tools, domain: LocationDomain, id: string): Promise<void> =>
  tools.inventory.transaction(async (records, db) => {
    const all = await allLocations(records)
    const location = found(all, domain, id)
    if (location.is_default) throw problem('infrastructure.location_default')
    const inside = [
      ...all.filter((one) => parentOf(one) === id).map(({ name }) => name),
      ...(domain === 'rack' ? await records.find<Node>(nodeKind.name, { rackId: id }, NAMED + 1) : []).map(
        ({ host }) => host,
      ),
    ]
    if (inside.length > 0) {
      const content = [...inside.slice(0, NAMED), ...(inside.length > NAMED ? ['…'] : [])].join(', ')
      throw problem('infrastructure.location_not_empty', { name: location.name, content })
    }
    const crush = await CrushPlaces.read(tools, records, db)
    await records.remove(locationKind.name, id)
    await records.removePrivate(locationKind.name, id)
    await crush?.remove(location)
  })

/** Moves nodes to a rack. */
export const moveNodes = (tools: Tools, id: string, nodeIds: readonly string[]): Promise<Location> =>
  tools.inventory.transaction(async (records, db) => {
    const all = await allLocations(records)
    const rack = found(all, 'rack', id)
    const places = { roomId: rack.room_id!, rowId: rack.row_id!, rackId: id }
    const [missing] = await placeNodes(records, nodeIds, places)
    if (missing !== undefined)
      throw fieldProblem(`node_ids.${nodeIds.indexOf(missing)}`, 'infrastructure.no_such_node', { id: missing })
    const crush = await CrushPlaces.read(tools, records, db)
    const moved = (await nodesIn(records, rack)).filter((node) => nodeIds.includes(node.id))
    await crush?.settle(all, [], moved)
    return rack
  })

/** Returns the location with this ID and level. */
export async function viewLocation({ inventory }: Tools, scope: Scope, domain: LocationDomain, id: string) {
  return found([await inventory.view<Location>(locationKind, scope, id)], domain, id)
}

/** Returns all locations and nodes, using one query for each kind. */
export async function treeOf({ inventory }: Pick<Tools, 'inventory'>): Promise<LocationTree> {
  const [all, nodes] = await inventory.transaction(async (records) => [
    await records.find<Location>(locationKind.name, {}, MAX_LOCATIONS),
    await records.find<Node>(nodeKind.name, {}, MAX_TREE_NODES),
  ])
  const counts = new Map<string, number>()
  for (const { rackId, rowId, roomId } of nodes)
    for (const id of [rackId, rowId, roomId]) counts.set(id, (counts.get(id) ?? 0) + 1)
  const locations = all
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .map((location) => ({ ...location, nodes_count: counts.get(location.id) ?? 0 }))
  return { locations, nodes: nodes.toSorted((a, b) => a.host.localeCompare(b.host, 'en', { numeric: true })) }
}

/** Creates the default room, row and rack, in which every node starts. */
export const addDefaultPlaces = ({ inventory }: Pick<Tools, 'inventory'>): Promise<void> =>
  inventory.transaction(async (records) => {
    await records.exclusive('locations')
    for (const domain of locationDomains) {
      const id = defaultPlaces[placeOfNode[domain]]
      if (await records.get(locationKind.name, id)) continue
      const parents = {
        room_id: domain === 'room' ? null : defaultPlaces.roomId,
        row_id: domain === 'rack' ? defaultPlaces.rowId : null,
      }
      await records.put(locationKind.name, { ...newLocation(domain, 'Default', parents), id, is_default: true })
    }
  })
