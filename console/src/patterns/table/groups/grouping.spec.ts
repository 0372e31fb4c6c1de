import { expect, it } from 'vitest'
import type { List } from '../../../api/use-list'
import { groupable, groupsOf, openAtFirst } from './grouping'

const status = {
  name: 'status',
  label: 'Status',
  options: [
    { value: 'ACTIVE', label: 'Active' },
    { value: 'ERROR', label: 'Error' },
  ],
}
const host = { name: 'host', label: 'Node', operator: 'exact' as const }
const source = {} as List['source']

it('groups by fields with one value per row, but not by tags or text, and not in partial lists', () => {
  const tags = { name: 'tags', label: 'Tag', operator: 'any' as const }
  const network = { ...tags, name: 'network_id', options: [] }
  const name = { name: 'name', label: 'Name' }
  expect(groupable({ source }, [status, name, tags, network, host])).toEqual([status, host])
  expect(groupable({ source: undefined }, [status, host])).toEqual([])
})

it('orders groups by the filter’s options, then by label, with rows without a value last', () => {
  const counted = [
    { value: null, count: 9 },
    { value: 'ERROR', count: 3 },
    { value: 'ACTIVE', count: 1 },
    { value: 'OTHER', count: null },
  ]
  expect(groupsOf(status, counted)).toEqual([
    { key: 'is ACTIVE', value: 'ACTIVE', label: 'Active', count: 1 },
    { key: 'is ERROR', value: 'ERROR', label: 'Error', count: 3 },
    { key: 'is OTHER', value: 'OTHER', label: undefined, count: undefined },
    { key: 'none', value: null, label: undefined, count: 9 },
  ])
  const nodes = ['node-10', 'node-2', 'None'].map((value) => ({ value, count: 1 }))
  expect(groupsOf(host, nodes).map(({ value }) => value)).toEqual(['node-2', 'node-10', 'None'])
})

it('expands the groups of the first hundred rows, at most five', () => {
  const sized = (...counts: (number | null)[]) =>
    groupsOf(
      host,
      counts.map((count, at) => ({ value: `node-${at}`, count })),
    )
  const open = (groups: ReturnType<typeof sized>) => openAtFirst(groups).size
  expect(open(sized(1, 1, 1, 1, 1, 1, 1))).toBe(5)
  expect(open(sized(60, 60, 1))).toBe(2)
  expect(open(sized(5000, 1))).toBe(1)
  // the count is unknown above the counting limit
  expect(open(sized(null, 1))).toBe(1)
})
