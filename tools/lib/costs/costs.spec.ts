import { expect, test } from 'vitest'
import { areaOf, byArea, costLine, mostExpensive } from './costs.mjs'

const costs = [
  { file: 'server/src/areas/compute/images.spec.ts', wallMs: 1000, cpuMs: 400 },
  { file: 'server/src/areas/compute/flavors/flavors.spec.ts', wallMs: 2000, cpuMs: 600 },
  { file: 'engines/src/embedded/dataplane/moves.spec.ts', wallMs: 9000, cpuMs: 0 },
]

test("derives a file's area from its path", () => {
  expect(costs.map(({ file }) => areaOf(file))).toEqual([
    'server/areas/compute',
    'server/areas/compute',
    'engines/embedded/dataplane',
  ])
  expect([areaOf('contract/src/core/lists/filters.spec.ts'), areaOf('e2e/compute/images.e2e.ts')]).toEqual([
    'contract/core',
    'e2e/compute',
  ])
})

test('sums costs by area and sorts by wall time', () => {
  expect(byArea(costs)).toEqual([
    { file: 'engines/embedded/dataplane', wallMs: 9000, cpuMs: 0 },
    { file: 'server/areas/compute', wallMs: 3000, cpuMs: 1000 },
  ])
  expect(mostExpensive(costs).map(({ wallMs }) => wallMs)).toEqual([9000, 2000, 1000])
})

test('a row shows wall time and CPU time, and omits unmeasured values', () => {
  expect(costLine(costs[0]!)).toBe('      1.0 s      0.4 s  server/src/areas/compute/images.spec.ts')
  expect(costLine(costs[2]!)).toBe('      9.0 s             engines/src/embedded/dataplane/moves.spec.ts')
})
