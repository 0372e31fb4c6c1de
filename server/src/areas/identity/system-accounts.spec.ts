import { session } from '@mainstay/contract/identity/session'
import { systemAccounts } from '@mainstay/contract/identity/system-accounts'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const password = 'correct horse 12'
async function newAccount(name: string, roles: 'viewer'[] = ['viewer']) {
  const [made] = await server.call(systemAccounts.create, { as, body: [{ name, password, roles }] })
  return made!
}
const signIn = (username: string, with_: string) =>
  server.call(session.login, { body: { username, password: with_, domain: 'Default' } })

it('shows roles with IDs and names, and assigns roles by ID', async () => {
  const { id, roles } = await newAccount('on_call')
  expect(roles).toEqual([{ id: 'viewer', name: 'Viewer' }])
  const next = [...roles.map((role) => role.id), 'compute'] as 'viewer'[]
  const changed = await server.call(systemAccounts.update, { as, params: { id }, body: { roles: next } })
  expect(changed.roles).toEqual(
    expect.arrayContaining([
      { id: 'viewer', name: 'Viewer' },
      { id: 'compute', name: 'Compute' },
    ]),
  )
  expect(await server.call(systemAccounts.view, { as, params: { id } })).toEqual(changed)
  const { data } = await server.call(systemAccounts.list, { as })
  for (const account of data)
    for (const role of account.roles) expect(role).toEqual({ id: expect.any(String), name: expect.stringMatching(/./) })
})

it('lets administrators set a password, which ends the account’s sessions', async () => {
  const { id } = await newAccount('forgetful')
  const { token } = await signIn('forgetful', password)
  const next = 'another horse 12'
  const set = (body: { password: string }, who: 'superuser' | 'viewer' = as) =>
    server.call(systemAccounts.update, { as: who, params: { id }, body })
  await expect(set({ password: 'short' })).rejects.toMatchObject({ fields: { password: expect.any(Array) } })
  await expect(set({ password: next }, 'viewer')).rejects.toMatchObject({ code: 'forbidden' })
  await set({ password: next })
  expect((await server.fetch(session.whoami, { as: { token: token! } })).status).toBe(401)
  await expect(signIn('forgetful', password)).rejects.toMatchObject({ code: 'wrong_credentials' })
  expect(await signIn('forgetful', next)).toMatchObject({ id })
  const lines = await server.sql.query('select * from audit')
  expect(JSON.stringify(lines)).not.toContain(next)
})

it('lists all accounts on one page unless a limit is given', { tags: 'all' }, async () => {
  for (let at = 0; at <= DEFAULT_LIMIT; at += 1) await newAccount(`one_of_many_${at}`)
  expect((await server.call(systemAccounts.list, { as })).data.length).toBeGreaterThan(DEFAULT_LIMIT)
  expect((await server.call(systemAccounts.list, { as, query: { limit: 2 } })).data).toHaveLength(2)
})
