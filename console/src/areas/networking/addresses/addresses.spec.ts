import type { AddressHolder } from '@mainstay/contract/networking/networks'
import { expect, test } from 'vitest'
import { addressCells, cellOf } from './map'
import { addressPlans, overlapOf } from './plan'

const named = (...cidrs: string[]) => cidrs.map((cidr) => ({ id: cidr, name: cidr, cidr }))
const kinds = (plans: ReturnType<typeof addressPlans>) => plans.map(({ parts }) => parts.map(({ kind }) => kind))

test('draws nearby ranges to scale in one plan, with free space between them', () => {
  const plans = addressPlans(named('10.20.0.0/24', '10.20.2.0/23'))
  expect(kinds(plans)).toEqual([['used', 'free', 'used', 'free']])
  expect(plans[0]!.parts.map(({ share }) => share)).toEqual([1 / 16, 1 / 16, 1 / 8, 3 / 4])
  expect(plans[0]!.free).toBe(BigInt(4096 - 256 - 512))
  expect(plans[0]!.largestFree?.prefix).toBe(21)
})

test('draws ranges that are far apart in separate plans', () => {
  expect(addressPlans(named('10.0.0.0/24', '192.168.1.0/24'))).toHaveLength(2)
})

test('covers a plan without gaps, regardless of the number of ranges', () => {
  const ranges = named(...Array.from({ length: 120 }, (_, at) => `10.1.${at * 2}.0/24`))
  for (const { window, parts } of addressPlans(ranges, '10.1.3.0/24')) {
    expect(parts.length).toBeLessThanOrEqual(60)
    expect(parts[0]!.first).toBe(window.first)
    expect(parts.at(-1)!.last).toBe(window.last)
    for (const [at, part] of parts.slice(1).entries()) expect(part.first).toBe(parts[at]!.last + 1n)
  }
})

test('marks the selected range, and where it overlaps a range in use', () => {
  expect(kinds(addressPlans(named('10.20.0.0/24'), '10.20.1.0/24'))).toEqual([['used', 'own', 'free']])
  expect(kinds(addressPlans(named('10.20.0.0/24'), '10.20.0.128/25'))).toEqual([['used', 'clash', 'free']])
  expect(overlapOf('10.20.0.128/25', named('10.20.0.0/24'))).toMatchObject({ addresses: 128n })
  expect(overlapOf('10.20.1.0/24', named('10.20.0.0/24'))).toBeNull()
})

const holder = (address: string, kind: AddressHolder['kind']): AddressHolder => ({
  ...{ address, kind, object_id: 'x', object_name: 'web', port_id: null, mac_address: null, status: null },
})

test('shows each address in a small range as a cell: in use, free or reserved', () => {
  const map = addressCells(
    '10.0.0.0/24',
    [{ start: '10.0.0.10', end: '10.0.0.99' }],
    [holder('10.0.0.1', 'router'), holder('10.0.0.10', 'instance'), holder('10.9.9.9', 'instance')],
  )!
  expect(map.cells).toHaveLength(256)
  expect([0, 1, 10, 11, 100].map((at) => map.cells[at]!.state)).toEqual(['kept', 'router', 'machine', 'free', 'kept'])
  expect([map.used, map.free, map.kept]).toEqual([2, 89, 165])
  expect(cellOf('10.0.0.11', map)).toBe(11)
  expect([cellOf('10.0.1.0', map), cellOf('web', map)]).toEqual([-1, -1])
})

test('groups several addresses into each cell for a larger range', () => {
  const map = addressCells('10.0.0.0/22', [{ start: '10.0.0.1', end: '10.0.3.254' }], [holder('10.0.0.6', 'instance')])!
  expect([map.cells.length, map.step]).toEqual([256, 4])
  expect(map.cells[1]).toMatchObject({ first: '10.0.0.4', last: '10.0.0.7', state: 'machine', share: 0.25 })
  expect(addressCells('fd00::/64', [], [])).toBeNull()
})
