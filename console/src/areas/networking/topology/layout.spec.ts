import type { TopologyEdge, TopologyNode } from '@mainstay/contract/networking/topology'
import { expect, test } from 'vitest'
import { drawTopology, groupId, nodeBeside } from './layout'

const node = (id: string, kind: TopologyNode['kind']): TopologyNode => ({
  ...{ id, kind, name: id, status: 'ACTIVE', addresses: [], floating_ips: [] },
})
const edge = (from: string, to: string, broken: string | null = null): TopologyEdge => ({
  ...{ from, to, addresses: [], broken },
})
const some = (machines: number) => ({
  nodes: [
    node('internet', 'external_network'),
    node('edge', 'router'),
    node('front', 'network'),
    node('back', 'network'),
    ...Array.from({ length: machines }, (_, at) => node(`vm-${at}`, 'instance')),
  ],
  edges: [
    edge('internet', 'edge'),
    edge('edge', 'front'),
    edge('edge', 'back', 'The router is down'),
    ...Array.from({ length: machines }, (_, at) => edge(at % 2 ? 'front' : 'back', `vm-${at}`)),
  ],
})
const none: ReadonlySet<string> = new Set()

test('places every node in one of four columns, without overlaps', () => {
  const { nodes, edges } = drawTopology(some(6), none)
  expect(nodes).toHaveLength(10)
  expect(new Set(nodes.map(({ column }) => column))).toEqual(new Set([0, 1, 2, 3]))
  expect(new Set(nodes.map(({ column, y }) => `${column} ${y}`)).size).toBe(nodes.length)
  expect(edges.filter(({ broken }) => broken !== null).map(({ id }) => id)).toEqual(['edge back'])
})

test('places a load balancer next to the instances in its network, and omits its connections to members', () => {
  const { nodes, edges } = some(2)
  const drawing = drawTopology(
    {
      nodes: [...nodes, node('shop', 'load_balancer')],
      edges: [...edges, edge('front', 'shop'), edge('shop', 'vm-1', 'It does not respond')],
    },
    none,
  )
  expect(drawing.nodes.find(({ id }) => id === 'shop')?.column).toBe(3)
  expect(drawing.edges.filter(({ from, to }) => from === 'shop' || to === 'shop').map(({ id }) => id)).toEqual([
    'front shop',
  ])
})

test('groups the members of each network if there are more than thirty nodes, until the user expands a group', () => {
  const closed = drawTopology(some(40), none)
  expect(closed.nodes).toHaveLength(6)
  expect(closed.grouped).toBe(40)
  expect(closed.nodes.find(({ id }) => id === groupId('front'))?.group?.members).toHaveLength(20)
  expect(closed.edges.map(({ id }) => id)).toContain(`front ${groupId('front')}`)
  const open = drawTopology(some(40), new Set(['front']))
  expect(open.nodes).toHaveLength(26)
  expect(open.grouped).toBe(20)
})

test('moves along edges with the left and right arrow keys, and within a column with up and down', () => {
  const drawing = drawTopology(some(2), none)
  expect(nodeBeside(drawing, 'internet', 'ArrowRight')).toBe('edge')
  expect(nodeBeside(drawing, 'edge', 'ArrowLeft')).toBe('internet')
  expect(['front', 'back']).toContain(nodeBeside(drawing, 'edge', 'ArrowRight'))
  const [upper, lower] = drawing.nodes.filter(({ column }) => column === 2).toSorted((a, b) => a.y - b.y)
  expect(nodeBeside(drawing, upper!.id, 'ArrowDown')).toBe(lower!.id)
  expect(nodeBeside(drawing, lower!.id, 'ArrowUp')).toBe(upper!.id)
  expect(nodeBeside(drawing, upper!.id, 'ArrowUp')).toBeUndefined()
})

test("places a tunnel's peer in the outside column next to its router, where the arrow keys reach it", () => {
  const { nodes, edges } = some(2)
  const drawing = drawTopology(
    { nodes: [...nodes, node('office', 'peer')], edges: [...edges, edge('edge', 'office', 'It has another key')] },
    none,
  )
  expect(drawing.nodes.find(({ id }) => id === 'office')?.column).toBe(0)
  expect(drawing.edges.find(({ to }) => to === 'office')).toMatchObject({ from: 'edge', broken: 'It has another key' })
  expect(nodeBeside(drawing, 'office', 'ArrowRight')).toBe('edge')
  expect([nodeBeside(drawing, 'internet', 'ArrowDown'), nodeBeside(drawing, 'internet', 'ArrowUp')]).toContain('office')
})
