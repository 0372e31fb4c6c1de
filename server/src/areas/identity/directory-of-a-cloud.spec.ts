import { domains } from '@mainstay/contract/identity/domains'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWithIdentityProvider } from '../../testing/outside/identity-provider'
import { PASSWORD } from '../../testing/personas'

/* Tests the calls for users and projects with a cloud instead of the embedded engine. */

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
let as: { token: string }
const signIn = async (username: string, password: string) => {
  const body = { username, password, domain: 'alpha' }
  return { token: (await fixture.server.call(session.login, { body })).token! }
}
beforeAll(async () => {
  fixture = await startWithIdentityProvider()
  as = await signIn('head', 'pass-head')
})
afterAll(() => fixture.close())

const params = { domain_id: 'd-alpha' }
const names = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)

it('shows domain administrators in a cloud only the users and projects in their own domain', async () => {
  const { server } = fixture
  await expect
    .poll(async () => names(await server.call(users.list, { as, params })))
    .toEqual(['fay', 'head', 'mary', 'nobody'])
  await expect.poll(async () => names(await server.call(projects.list, { as, params }))).toEqual(['one', 'two'])
  const elsewhere = { as, params: { domain_id: 'default' } }
  await expect(server.call(users.list, elsewhere)).rejects.toMatchObject({ code: 'not_found' })
  await expect(server.call(projects.list, elsewhere)).rejects.toMatchObject({ code: 'not_found' })
})

it('lists a new user immediately and signs the user out when the account is disabled', async () => {
  const { server } = fixture
  const assigned_projects = [{ project_id: 'p-one', role: 'project_member' as const }]
  const body = { name: 'grace', password: PASSWORD, assigned_projects }
  const made = await server.call(users.create, { as, params, body })
  expect(names(await server.call(users.list, { as, params }))).toContain('grace')
  expect(await server.call(projects.members, { as, params: { ...params, id: 'p-one' } })).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: made.id, role: 'project_member' })]),
  })
  const theirs = await signIn('grace', PASSWORD)
  const entered = await server.call(session.enterProject, { as: theirs, params: { id: 'p-one' } })
  expect(await server.call(session.whoami, { as: entered })).toMatchObject({ name: 'grace' })
  await server.call(users.update, { as, params: { ...params, id: made.id }, body: { enabled: false } })
  await expect(server.call(session.whoami, { as: entered })).rejects.toMatchObject({ code: 'access_disabled' })
})

it('refuses password links and suggests an alternative', async () => {
  const { server } = fixture
  expect((await server.call(session.meta, { as })).services.identity).toEqual({ password_links: false })
  await expect(server.call(passwordLinks.create, { as, params: { ...params, id: 'u-mary' } })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('Set a new password for the user instead'),
  })
})

it('keeps lists readable but refuses changes while the cloud’s identity service is down', async () => {
  const { server, cloud } = fixture
  const users_ = names(await server.call(users.list, { as, params }))
  for (const verb of ['GET', 'POST', 'PATCH'])
    for (const path of ['/domains', '/domains/:id', '/projects', '/projects/:id', '/users', '/users/:id'])
      cloud.on('identity', verb, path, () => ({ status: 503, text: 'away' }))
  const body = { name: 'later', tags: [] }
  await expect(server.call(projects.create, { as, params, body })).rejects.toMatchObject({ code: 'engine_unavailable' })
  expect(names(await server.call(users.list, { as, params }))).toEqual(users_)
  expect(await server.call(domains.view, { as, params: { id: 'd-alpha' } })).toMatchObject({ name: 'alpha' })
})
