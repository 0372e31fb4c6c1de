import { domainAbove, parentOf } from '@mainstay/contract/infrastructure/location-rules'
import type { LocationTree } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'

export type Location = LocationTree['locations'][number]

/** A row of the table: either a location with the nodes in it, or a node. */
export interface LocationRow {
  kind: Location['domain'] | 'node'
  id: string
  name: string
  /** Nesting depth; 0 for rooms. */
  depth: number
  /** Null for nodes. */
  location: Location | null
  /** All nodes in the location, at any depth. For a node, the node itself. */
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

const ofNode = (node: Node): LocationRow => ({
  ...{ kind: 'node', id: node.id, name: node.host, depth: 3, location: null, nodes: [node], isEmpty: true },
})

/** Returns the rows of the tree in display order, without the contents of collapsed locations. */
export function locationRows({ locations, nodes }: LocationTree, closed: ReadonlySet<string>): LocationRow[] {
  const nodesBy = {
    room: grouped(nodes, ({ roomId }) => roomId),
    row: grouped(nodes, ({ rowId }) => rowId),
    rack: grouped(nodes, ({ rackId }) => rackId),
  }
  const childrenOf = grouped(locations, parentOf)
  const below = (location: Location, depth: number): LocationRow[] => {
    const inside = nodesBy[location.domain].get(location.id) ?? []
    const inner = location.domain === 'rack' ? [] : (childrenOf.get(location.id) ?? [])
    const isEmpty = inner.length === 0 && (location.domain !== 'rack' || inside.length === 0)
    const row = { kind: location.domain, id: location.id, name: location.name, depth, location, nodes: inside, isEmpty }
    if (closed.has(location.id)) return [row]
    return [
      row,
      ...inner.flatMap((one) => below(one, depth + 1)),
      ...(location.domain === 'rack' ? inside.map(ofNode) : []),
    ]
  }
  return locations.filter(({ domain }) => domain === 'room').flatMap((room) => below(room, 0))
}

/** Returns the path of a location, such as "Hamburg / Row A / A1". */
export function pathOf(location: Location, locations: readonly Location[]): string {
  const nameOf = (id: string | null) => locations.find((one) => one.id === id)?.name
  return [nameOf(location.room_id), nameOf(location.row_id), location.name]
    .filter((name) => name !== undefined)
    .join(' / ')
}

/** Returns the kind of location that contains rows of the given kind: racks for nodes, null for rooms. */
export const levelAbove = (kind: LocationRow['kind']) => (kind === 'node' ? 'rack' : domainAbove(kind))

/**
 * Returns the locations that a row can be moved to: all locations one level above it, except the one that contains it
 * now.
 */
export function locationsToMoveTo({ kind, location, nodes }: LocationRow, locations: readonly Location[]): Location[] {
  const above = levelAbove(kind)
  const parent = location ? parentOf(location) : nodes[0]?.rackId
  return locations.filter(({ id, domain }) => domain === above && id !== parent)
}

/** Totals over the nodes of a row; null for a number that no node reports. */
export function sumsOf(nodes: readonly Node[]) {
  const memory = nodes.flatMap(({ ram }) => (ram ? [ram.total] : []))
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  return {
    online: nodes.filter(({ is_online }) => is_online).length,
    memory: memory.length > 0 ? sum(memory) : null,
    disks: sum(nodes.map(({ spaces }) => spaces.disks)),
  }
}
