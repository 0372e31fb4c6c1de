import { instances } from '@mainstay/contract/compute/instances'
import { expect, test } from 'vitest'
import { instanceRoutes } from './routes'

const needsOf = (path: string) => instanceRoutes.find((route) => route.path === path)?.needs

test('routes need what the calls behind them need', () => {
  expect(needsOf('compute/instances')).toEqual(instances.list.needs)
  expect(needsOf('compute/instances/add/{-$step}')).toEqual(instances.create.needs)
  expect(needsOf('compute/instances/$id')).toEqual(instances.view.needs)
})

test('editing needs the right to update a server [RT-059]', () => {
  expect(needsOf('compute/instances/$id/edit/$subject')).toEqual(instances.update.needs)
  expect(instances.update.needs).toEqual({ ability: 'update', resource: 'compute_server' })
})
