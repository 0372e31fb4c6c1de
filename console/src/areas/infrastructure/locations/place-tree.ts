import type { LocationTree } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'

export type Place = LocationTree['locations'][number]

/** A row of the tree: a place with the nodes in it, or a node. */
export interface PlaceRow {
  kind: Place['domain'] | 'node'
  id: string
  name: string
  /** 0 for rooms. */
  depth: number
  /** Null for nodes. */
  place: Place | null
  /** All nodes in the place, at any depth; the node itself for a node. */
  nodes: readonly Node[]
  isEmpty: boolean
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string | null): Map<string | null, Item[]> {
  const groups = new Map<string | null, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const ofNode = (node: Node): PlaceRow => ({
  ...{ kind: 'node', id: node.id, name: node.host, depth: 3, place: null, nodes: [node], isEmpty: true },
})

/** The rows of the tree in order, without the contents of the places that are closed. */
export function placeRows({ locations, nodes }: LocationTree, closed: ReadonlySet<string>): PlaceRow[] {
  const nodesBy = {
    room: grouped(nodes, ({ roomId }) => roomId),
    row: grouped(nodes, ({ rowId }) => rowId),
    rack: grouped(nodes, ({ rackId }) => rackId),
  }
  const placesBy = grouped(locations, ({ domain, room_id, row_id }) => (domain === 'row' ? room_id : row_id))
  const below = (place: Place, depth: number): PlaceRow[] => {
    const inside = nodesBy[place.domain].get(place.id) ?? []
    const places = place.domain === 'rack' ? [] : (placesBy.get(place.id) ?? [])
    const isEmpty = places.length === 0 && (place.domain !== 'rack' || inside.length === 0)
    const row = { kind: place.domain, id: place.id, name: place.name, depth, place, nodes: inside, isEmpty }
    if (closed.has(place.id)) return [row]
    return [
      row,
      ...places.flatMap((one) => below(one, depth + 1)),
      ...(place.domain === 'rack' ? inside.map(ofNode) : []),
    ]
  }
  return locations.filter(({ domain }) => domain === 'room').flatMap((room) => below(room, 0))
}

/** The path of a place, such as "Hamburg / Row A / A1". */
export function pathOf(place: Place, locations: readonly Place[]): string {
  const nameOf = (id: string | null) => locations.find((one) => one.id === id)?.name
  return [nameOf(place.room_id), nameOf(place.row_id), place.name].filter((name) => name !== undefined).join(' / ')
}

/** Places that a row of the tree can be moved to: all of the level above it, except its own. */
export function placesToMoveTo({ kind, place, nodes }: PlaceRow, locations: readonly Place[]): Place[] {
  const above = { room: null, row: 'room', rack: 'row', node: 'rack' } as const
  const parent = place ? (place.row_id ?? place.room_id) : nodes[0]?.rackId
  return locations.filter(({ id, domain }) => domain === above[kind] && id !== parent)
}

/** Sums over the nodes of a row; null if none of them reports the number. */
export function sumsOf(nodes: readonly Node[]) {
  const memory = nodes.flatMap(({ ram }) => (ram ? [ram.total] : []))
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  return {
    online: nodes.filter(({ is_online }) => is_online).length,
    memory: memory.length > 0 ? sum(memory) : null,
    disks: sum(nodes.map(({ spaces }) => spaces.disks)),
  }
}
