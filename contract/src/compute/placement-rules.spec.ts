import { expect, test } from 'vitest'
import { whyPlacementStays } from './placement-rules'

test('a placement stays while something has it, and says how many of what', () => {
  const nothing = { nodes: 0, images: 0, flavors: 0, servers: 0 }
  expect(whyPlacementStays(nothing)).toBeNull()
  expect(whyPlacementStays({ ...nothing, nodes: 1 })).toMatchObject({
    ...{ code: 'in_use', message: 'The placement is used by 1 node', data: { nodes: 1, servers: 0 } },
  })
  expect(whyPlacementStays({ ...nothing, images: 2, flavors: 1, servers: 12 })?.message).toBe(
    'The placement is used by 2 images, 1 flavor, and 12 virtual machines',
  )
})
