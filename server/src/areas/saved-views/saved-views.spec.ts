import { MAX_SAVED_VIEWS, savedViews } from '@mainstay/contract/core/lists/saved-views'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const as = 'service-account'
const save = (name: string, query: Record<string, string> = {}, who: PersonaName = as, kind = 'server') =>
  server.call(savedViews.save, { as: who, body: { kind, name, query } })
const namesOf = async (who: PersonaName = as, kind = 'server') =>
  (await server.call(savedViews.ofList, { as: who, query: { kind } })).data.map(({ name }) => name)

it('saves views of a list by name and replaces views with the same name', async () => {
  const first = await save('running', { status: 'in:ACTIVE' })
  await save('Broken', { status: 'in:ERROR', sort: 'name:desc', search: 'web' })
  const again = await save('running', { status: 'in:ACTIVE,REBOOT' })
  expect(again).toMatchObject({ id: first.id, query: { status: 'in:ACTIVE,REBOOT' } })
  expect(await namesOf()).toEqual(['Broken', 'running'])
  expect(await namesOf(as, 'volume')).toEqual([])
  await server.call(savedViews.remove, { as, params: { id: first.id } })
  expect(await namesOf()).toEqual(['Broken'])
})

it('shows a view only to its user and only in its project', async () => {
  const { id } = await save('mine')
  for (const who of ['project-member', 'service-account@beta-one', 'superuser'] as const) {
    expect(await namesOf(who), who).toEqual([])
    expect((await server.fetch(savedViews.remove, { as: who, params: { id } })).status, who).toBe(404)
  }
  expect(await namesOf()).toContain('mine')
})

it('limits the number of saved views but still allows replacing them', async () => {
  const who = 'other-member'
  for (let count = 0; count < MAX_SAVED_VIEWS; count++) await save(`view ${count}`, {}, who)
  await expect(save('one more', {}, who)).rejects.toMatchObject({ code: 'conflict' })
  expect((await save('view 1', { name: 'web' }, who)).query).toEqual({ name: 'web' })
  expect(await namesOf(who)).toHaveLength(MAX_SAVED_VIEWS)
})

it.each([
  ['a blank name', { name: '  ' }, 'name'],
  ['a name with invisible characters', { name: 'a\u200bb' }, 'name'],
  [
    'too many parameters',
    { query: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`f${at}`, ''])) },
    'query',
  ],
])('refuses %s and names the field', async (_, part, field) => {
  const body = { kind: 'server', name: 'good', query: {}, ...part }
  const response = await server.fetch(savedViews.save, { as, body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { fields: { [field]: expect.anything() } } })
})

it('accepts names of 2 to 32 characters only [VA-038]', async () => {
  const who = 'project-member'
  for (const name of ['a', ' a ', 'x'.repeat(33)])
    await expect(save(name, {}, who)).rejects.toMatchObject({
      code: 'validation',
      fields: { name: [expect.any(String)] },
    })
  for (const name of ['ab', 'x'.repeat(32)]) expect(await save(name, {}, who)).toMatchObject({ name })
  expect(await namesOf(who)).toEqual(['ab', 'x'.repeat(32)])
})
