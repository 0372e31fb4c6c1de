import { expect, test } from 'vitest'
import { whyPlacementStays } from './placement-rules'

test('refuses to delete a placement that is in use, and counts the objects that use it', () => {
  const nothing = { nodes: 0, images: 0, flavors: 0, servers: 0 }
  expect(whyPlacementStays(nothing)).toBeNull()
  expect(whyPlacementStays({ ...nothing, nodes: 1 })).toMatchObject({
    ...{
      code: 'in_use',
      message: expect.stringContaining('(nodes: 1, images: 0, flavors: 0, virtual machines: 0)'),
      data: { nodes: 1, servers: 0 },
    },
  })
  expect(whyPlacementStays({ ...nothing, images: 2, flavors: 1, servers: 12 })?.message).toBe(
    'The placement is in use (nodes: 0, images: 2, flavors: 1, virtual machines: 12). Remove it from these objects first.',
  )
})
