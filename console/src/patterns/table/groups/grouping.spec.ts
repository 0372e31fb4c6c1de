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

it('a list is grouped by what has one value a row, and not by tags, texts, or where it is a part of another page', () => {
  const tags = { name: 'tags', label: 'Tag', operator: 'any' as const }
  const network = { ...tags, name: 'network_id', options: [] }
  const name = { name: 'name', label: 'Name' }
  expect(groupable({ source }, [status, name, tags, network, host])).toEqual([status, host])
  expect(groupable({ source: undefined }, [status, host])).toEqual([])
})

it('groups stand in the order of the choices, else by their words, and rows without a value come last', () => {
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

it('the groups of the first hundred rows are open, five at most', () => {
  const sized = (...counts: (number | null)[]) =>
    groupsOf(
      host,
      counts.map((count, at) => ({ value: `node-${at}`, count })),
    )
  const open = (groups: ReturnType<typeof sized>) => openAtFirst(groups).size
  expect(open(sized(1, 1, 1, 1, 1, 1, 1))).toBe(5)
  expect(open(sized(60, 60, 1))).toBe(2)
  expect(open(sized(5000, 1))).toBe(1)
  // how many there are is not known where there are too many
  expect(open(sized(null, 1))).toBe(1)
})
