import { expect, it } from 'vitest'
import { paramNames, parentNames } from './core/endpoint'
import { bulkBodyOf } from './bulk-actions'
import { resourceList } from './resources'

const offered = resourceList.flatMap(([, { kind, calls }]) =>
  kind
    ? Object.entries(calls).flatMap(([action, endpoint]) =>
        bulkBodyOf(kind.name, action, endpoint) ? [`${kind.name}.${action}`] : [],
      )
    : [],
)

it('every kind whose rows are deleted by their ID alone supports bulk deletion', () => {
  const needsIdOnly = (path: string) =>
    paramNames(path)
      .filter((name) => !parentNames(path).includes(name))
      .join() === 'id'
  const deletable = resourceList.flatMap(([, { kind, calls }]) =>
    kind && calls['delete'] && needsIdOnly(calls['delete'].path) ? [`${kind.name}.delete`] : [],
  )
  expect(deletable.length).toBeGreaterThan(20)
  expect(offered.filter((name) => name.endsWith('.delete'))).toEqual(deletable)
})

it('bulk runs support only the listed calls, and only those whose only path parameter is the object ID', () => {
  expect(offered).toEqual(expect.arrayContaining(['server.start', 'volume.lock', 'user.update']))
  for (const name of ['server.setPassword', 'volume.extend', 'server.create']) expect(offered).not.toContain(name)
  expect(bulkBodyOf('disk', 'delete', { path: '/api/v2/nodes/:node_id/disks/:id' })).toBeDefined()
  expect(bulkBodyOf('disk', 'delete', { path: '/api/v2/disks/:id/parts/:part' })).toBeUndefined()
  expect(bulkBodyOf('constructor', 'toString', { path: '/api/v2/x/:id' })).toBeUndefined()
})

it('a bulk update accepts only the `enabled` flag', () => {
  const body = bulkBodyOf('user', 'update', { path: '/api/v2/domains/:domain_id/users/:id' })!
  expect(body.safeParse({ enabled: false }).success).toBe(true)
  expect(body.safeParse({ password: 'correct horse 13' }).success).toBe(false)
})
