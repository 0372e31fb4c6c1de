import { GiB } from '@mainstay/contract/core/bytes'
import { facets } from '@mainstay/contract/core/lists/facets'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
  for (const [name, who] of [
    ['web', as],
    ['web', as],
    ['mail', as],
    ['theirs', 'other-member'],
  ] as const)
    await server.call(volumes.create, { as: who, body: { name, size: GiB } })
})
afterAll(() => server.close())

const get = (kind: string, query: Record<string, unknown>, who: PersonaName = as) =>
  server.fetch(facets.values, { as: who, params: { kind }, query: query as { field: string } })
const valuesOf = async (...asked: Parameters<typeof get>) => {
  const { data } = (await (await get(...asked)).json()) as { data: { value: string; count: number }[] }
  return data.map(({ value, count }) => [value, count])
}

it('counts values within the current filters', async () => {
  expect(await valuesOf('volume', { field: 'name' })).toEqual([
    ['web', 2],
    ['mail', 1],
  ])
  expect(await valuesOf('volume', { field: 'name', search: 'ai', sort: 'name:asc' })).toEqual([['mail', 1]])
  expect(await valuesOf('volume', { field: 'name', name: 'not:web' })).toEqual([['mail', 1]])
})

it('hides values from other projects and from kinds that the caller may not list', async () => {
  expect(await valuesOf('volume', { field: 'name' }, 'other-member')).toEqual([['theirs', 1]])
  expect(await valuesOf('volume', { field: 'name', prefix: 'th' })).toEqual([])
  expect((await valuesOf('volume', { field: 'project_id' }, 'superuser')).length).toBe(2)
  for (const kind of ['user', 'compute_node', 'domain'])
    expect((await get(kind, { field: 'id' })).status, kind).toBe(403)
  for (const kind of ['moon', 'constructor']) expect((await get(kind, { field: 'id' })).status, kind).toBe(404)
})

it.each([
  ['a missing field', {}, 'field'],
  ['an unknown field', { field: 'moon' }, 'field'],
  ['a time field', { field: 'created_at' }, 'field'],
  ['an unknown filter', { field: 'name', colour: 'red' }, 'colour'],
  ['a limit above the maximum', { field: 'name', limit: 101 }, 'limit'],
])('refuses %s and names the parameter', async (_, query, field) => {
  const response = await get('volume', query)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { fields: { [field]: expect.anything() } } })
})
