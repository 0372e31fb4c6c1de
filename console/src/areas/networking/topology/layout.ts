import type { Topology, TopologyEdge, TopologyNode } from '@mainstay/contract/networking/topology'

/** If there are more nodes than this, the members of each network are drawn as a group. */
export const GROUPED_ABOVE = 30

/** The columns of the picture: outside, gateways, networks, attached objects. */
export type ColumnNumber = 0 | 1 | 2 | 3

export interface DrawnNode {
  id: string
  column: ColumnNumber
  x: number
  y: number
  /** The node that is drawn; undefined for a group. */
  node?: TopologyNode
  /** The group that is drawn, and whether it is expanded. */
  group?: { networkId: string; members: readonly TopologyNode[]; isOpen: boolean }
}
export interface DrawnEdge {
  id: string
  from: string
  to: string
  broken: string | null
}
export interface Drawing {
  nodes: DrawnNode[]
  edges: DrawnEdge[]
  /** Number of nodes that are hidden in collapsed groups. */
  grouped: number
  height: number
}

export const columnX: readonly number[] = [0, 280, 560, 840]
export const nodeHeight = 52
const gap = 14
const step = nodeHeight + gap

const columnOf: Readonly<Record<TopologyNode['kind'], ColumnNumber>> = {
  outside: 0,
  external_network: 0,
  peer: 0,
  router: 1,
  network: 2,
  load_balancer: 3,
  instance: 3,
  port: 3,
}
const isAttached = ({ kind }: TopologyNode) => columnOf[kind] === 3
export const groupId = (networkId: string) => `group:${networkId}`

/** The neighbours of each node, keyed by node ID. */
function neighbours(edges: readonly TopologyEdge[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { from, to } of edges)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      found.set(one, [...(found.get(one) ?? []), other])
  return found
}

/** The objects attached to each network. An object attached to several networks is listed only under the first one. */
function attachedTo(
  networks: readonly TopologyNode[],
  around: ReadonlyMap<string, string[]>,
  byId: ReadonlyMap<string, TopologyNode>,
): Map<string, TopologyNode[]> {
  const placed = new Set<string>()
  const found = new Map<string, TopologyNode[]>()
  for (const { id } of networks) {
    const here = (around.get(id) ?? []).flatMap((other) => {
      const node = byId.get(other)
      if (!node || !isAttached(node) || placed.has(other)) return []
      placed.add(other)
      return [node]
    })
    found.set(
      id,
      here.toSorted((a, b) => a.name.localeCompare(b.name)),
    )
  }
  return found
}

/**
 * Sorts networks so that those on the same router are adjacent and unconnected ones are last. External networks and
 * tunnel peers are sorted by name.
 */
function ordered(
  nodes: readonly TopologyNode[],
  around: ReadonlyMap<string, string[]>,
  byId: ReadonlyMap<string, TopologyNode>,
) {
  const of = (kind: TopologyNode['kind']) => nodes.filter((it) => it.kind === kind)
  const routers = of('router').toSorted((a, b) => a.name.localeCompare(b.name))
  const place = new Map(routers.map(({ id }, at) => [id, at]))
  const routerAt = ({ id }: TopologyNode) =>
    Math.min(
      ...(around.get(id) ?? []).filter((it) => byId.get(it)?.kind === 'router').map((it) => place.get(it) ?? Infinity),
      Infinity,
    )
  const networks = of('network').toSorted((a, b) => routerAt(a) - routerAt(b) || a.name.localeCompare(b.name))
  const external = [...of('external_network'), ...of('peer')].toSorted((a, b) => a.name.localeCompare(b.name))
  return { routers, networks, external }
}

/** Moves nodes down where they overlap, without changing their order. */
function spread(wanted: readonly { id: string; y: number }[]): Map<string, number> {
  const at = new Map<string, number>()
  let free = 0
  for (const { id, y } of wanted.toSorted((a, b) => a.y - b.y)) {
    const place = Math.max(y, free)
    at.set(id, place)
    free = place + step
  }
  return at
}

const middle = (values: readonly number[], otherwise: number) =>
  values.length === 0 ? otherwise : (Math.min(...values) + Math.max(...values)) / 2

/**
 * Lays out all nodes. Attached objects are placed first; networks, routers and external networks are then centred on
 * their neighbours.
 */
export function drawTopology(
  { nodes, edges }: Pick<Topology, 'nodes' | 'edges'>,
  opened: ReadonlySet<string>,
): Drawing {
  const byId = new Map(nodes.map((it) => [it.id, it]))
  const around = neighbours(edges)
  const { routers, networks, external } = ordered(nodes, around, byId)
  const attached = attachedTo([...networks, ...external], around, byId)
  const isGrouped = nodes.length > GROUPED_ABOVE
  const drawn: DrawnNode[] = []
  /** Maps each hidden node to the collapsed group that represents it. */
  const shownAs = new Map<string, string>()
  const networkY: { id: string; y: number }[] = []
  let grouped = 0
  let y = 0
  for (const { id, kind } of [...networks, ...external]) {
    const members = attached.get(id) ?? []
    const start = y
    const isGroup = isGrouped && members.length > 1
    const isOpen = opened.has(id)
    if (isGroup) {
      drawn.push({ id: groupId(id), column: 3, x: columnX[3]!, y, group: { networkId: id, members, isOpen } })
      y += step
    }
    if (isGroup && !isOpen) {
      for (const member of members) shownAs.set(member.id, groupId(id))
      grouped += members.length
    } else
      for (const node of members) {
        drawn.push({ id: node.id, column: 3, x: columnX[3]!, y, node })
        y += step
      }
    if (kind !== 'network') continue
    if (y === start) y += step
    networkY.push({ id, y: (start + y - step) / 2 })
  }
  const networksAt = spread(networkY)
  for (const node of networks)
    drawn.push({ id: node.id, column: 2, x: columnX[2]!, y: networksAt.get(node.id) ?? 0, node })
  const yOf = (places: ReadonlyMap<string, number>, id: string) =>
    (around.get(id) ?? []).flatMap((it) => places.get(it) ?? [])
  const routersAt = spread(routers.map(({ id }, at) => ({ id, y: middle(yOf(networksAt, id), at * step) })))
  for (const node of routers)
    drawn.push({ id: node.id, column: 1, x: columnX[1]!, y: routersAt.get(node.id) ?? 0, node })
  const outsideAt = spread(external.map(({ id }, at) => ({ id, y: middle(yOf(routersAt, id), at * step) })))
  for (const node of external)
    drawn.push({ id: node.id, column: 0, x: columnX[0]!, y: outsideAt.get(node.id) ?? 0, node })

  const columns = new Map(drawn.map(({ id, column }) => [id, column]))
  const lines = new Map<string, DrawnEdge>()
  for (const edge of edges) {
    const [from, to] = [edge.from, edge.to].map((id) => shownAs.get(id) ?? id) as [string, string]
    const [left, right] = [columns.get(from), columns.get(to)]
    // edges within a column, such as those from a load balancer to its members, are shown only in the table
    if (left === undefined || right === undefined || left === right) continue
    const id = `${from} ${to}`
    lines.set(id, { id, from, to, broken: edge.broken ?? lines.get(id)?.broken ?? null })
  }
  return {
    nodes: drawn,
    edges: [...lines.values()],
    grouped,
    height: Math.max(step, ...drawn.map((it) => it.y + step)),
  }
}

/** The node that an arrow key moves to: left and right follow edges, up and down move within the column. */
export function nodeBeside({ nodes, edges }: Drawing, id: string, key: string): string | undefined {
  const here = nodes.find((it) => it.id === id)
  if (!here) return undefined
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const column = nodes.filter((it) => it.column === here.column).toSorted((a, b) => a.y - b.y)
    return column[column.indexOf(here) + (key === 'ArrowUp' ? -1 : 1)]?.id
  }
  const to = key === 'ArrowLeft' ? -1 : 1
  const beside = edges
    .flatMap(({ from, to: end }) => (from === id ? [end] : end === id ? [from] : []))
    .flatMap((other) => nodes.find((it) => it.id === other) ?? [])
    .filter((it) => Math.sign(it.column - here.column) === to)
  return beside.toSorted((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0]?.id
}
