import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import { expect, test } from 'vitest'
import { placementRoutes } from './routes'

test('routes need what the calls behind them need', () => {
  expect(placementRoutes.map(({ needs }) => needs)).toEqual([
    computeNodes.list.needs,
    placements.create.needs,
    computeNodes.list.needs,
    placements.update.needs,
    placements.assign.needs,
  ])
})
