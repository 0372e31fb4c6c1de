import { expect, it } from 'vitest'
import { bulkBodyOf } from './bulk-actions'
import { resourceList } from './resources'

const offered = resourceList.flatMap(([, { kind, calls }]) =>
  kind
    ? Object.entries(calls).flatMap(([action, endpoint]) =>
        bulkBodyOf(kind.name, action, endpoint) ? [`${kind.name}.${action}`] : [],
      )
    : [],
)

it('rows of every kind that are deleted one by one can be deleted by many', () => {
  const deletable = resourceList.flatMap(([, { kind, calls }]) =>
    kind && calls['delete'] && calls['delete'].path.endsWith(':id') ? [`${kind.name}.delete`] : [],
  )
  expect(deletable.length).toBeGreaterThan(20)
  expect(offered.filter((name) => name.endsWith('.delete'))).toEqual(deletable)
})

it('other calls are made of many where they are named, and no other, nor one that needs more than the object', () => {
  expect(offered).toEqual(expect.arrayContaining(['server.start', 'volume.lock', 'user.update']))
  for (const name of ['server.setPassword', 'volume.extend', 'server.create']) expect(offered).not.toContain(name)
  expect(bulkBodyOf('disk', 'delete', { path: '/api/v2/nodes/:node_id/disks/:id' })).toBeDefined()
  expect(bulkBodyOf('disk', 'delete', { path: '/api/v2/disks/:id/parts/:part' })).toBeUndefined()
  expect(bulkBodyOf('constructor', 'toString', { path: '/api/v2/x/:id' })).toBeUndefined()
})

it('of the body of a change a run takes only what says whether something is enabled', () => {
  const body = bulkBodyOf('user', 'update', { path: '/api/v2/domains/:domain_id/users/:id' })!
  expect(body.safeParse({ enabled: false }).success).toBe(true)
  expect(body.safeParse({ password: 'correct horse 13' }).success).toBe(false)
})
