import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { expect, test } from 'vitest'
import { serverGroupRoutes } from './routes'

test('routes need what the calls behind them need', () => {
  expect(serverGroupRoutes.map(({ needs }) => needs)).toEqual([
    serverGroups.list.needs,
    serverGroups.create.needs,
    serverGroups.view.needs,
  ])
})
