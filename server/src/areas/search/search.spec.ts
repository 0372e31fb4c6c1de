import { GiB } from '@mainstay/contract/core/bytes'
import { search } from '@mainstay/contract/core/lists/search'
import { instances } from '@mainstay/contract/compute/instances'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
  for (const name of ['Web-10', 'web-2', 'a web', 'mail', 'a_b', 'acb'])
    await server.call(volumes.create, { as, body: { name, size: GiB } })
})
afterAll(() => server.close())

const find = async (q: string, who: PersonaName = as, limit?: number) =>
  (await server.call(search.all, { as: who, query: { q, ...(limit && { limit }) } })).data
const namesOf = async (...asked: Parameters<typeof find>) =>
  (await find(...asked)).map(({ kind, rows, has_more }) => [kind, rows.map(({ name }) => name), has_more])

it('sorts by name, ignoring case, and lists prefix matches before other matches', async () => {
  expect(await namesOf('WEB')).toEqual([['volume', ['web-2', 'Web-10', 'a web'], false]])
  expect(await namesOf('web', as, 2)).toEqual([['volume', ['web-2', 'Web-10'], true]])
  expect(await namesOf('web-1')).toEqual([['volume', ['Web-10'], false]])
  expect(await namesOf('A_')).toEqual([['volume', ['a_b'], false]])
  expect(await namesOf('nothing is called so')).toEqual([])
})

it('finds all kinds that the caller may list by name, ID and address', async () => {
  const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
  const [network] = (await server.call(networks.list, { as })).data
  const body = { name: 'shop', flavor: 's1.tiny', networks: [{ id: network!.id }], volumes: [boot] }
  const { id } = await server.call(instances.create, { as, body })
  const instance = await vi.waitFor(async () => {
    const now = await server.call(instances.view, { as, params: { id } })
    expect([now.status, now.task_state]).toEqual(['ACTIVE', null])
    return now
  })
  const address = instance.networks[0]!.ips[0]!
  await server.call(sshKeys.generate, { as, body: { name: 'shop key' } })
  const found = await find('shop')
  expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['server', 'key']))
  const { status, task_state, host_status } = instance
  const project_id = server.cast.people[as].project!.id
  const shown = { id, name: 'shop', status, task_state, host_status, project_id, address }
  for (const q of [id, id.slice(4, 20), address])
    expect((await find(q)).find(({ kind }) => kind === 'server')?.rows).toEqual([shown])
})

it('does not find rows in other projects or of kinds that the caller may not read', async () => {
  expect(await find('web', 'other-member')).toEqual([])
  const { id } = server.cast.people[as].user
  expect(await find(id)).toEqual([])
  expect(await find(id, 'other-member')).toEqual([])
  expect((await find(id, 'superuser')).map(({ kind }) => kind)).toEqual(['user'])
  expect((await namesOf('web', 'superuser'))[0]).toEqual(['volume', ['web-2', 'Web-10', 'a web'], false])
})

it.each([
  ['an empty query', 'q', { q: '' }],
  ['spaces', 'q', { q: '   ' }],
  ['10 000 characters', 'q', { q: 'x'.repeat(10_000) }],
  ['a NUL character', 'q', { q: 'a\0b' }],
  ['a missing query', 'q', {}],
  ['a limit above the maximum', 'limit', { q: 'a', limit: 21 }],
  ['a limit of 0', 'limit', { q: 'a', limit: 0 }],
])('refuses %s and names the parameter', async (_, field, query) => {
  const response = await server.fetch(search.all, { as, query: query as { q: string } })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { fields: { [field]: expect.anything() } } })
})
