import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { session } from '@mainstay/contract/identity/session'
import { users, type User } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import {
  admin,
  makeUser,
  operator,
  refusal,
  server,
  signIn,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { PASSWORD } from '../../../testing/personas'

withDirectory()

const NEXT = 'Another horse, 2'

const linkFor = (user: Pick<User, 'id' | 'domain_id'>, as: typeof admin | typeof operator = admin) =>
  server.call(passwordLinks.create, { as, params: { domain_id: user.domain_id, id: user.id } })
const open = (token: string) => server.call(passwordLinks.open, { body: { token } })
const use = (token: string, new_password = NEXT) => server.call(passwordLinks.use, { body: { token, new_password } })

it('shows its user, sets the new password and signs the user in', async () => {
  const user = await makeUser()
  const { token, expires_at } = await linkFor(user)
  expect((Date.parse(expires_at) - Date.now()) / 3600_000).toBeCloseTo(7 * 24, 1)
  expect(await open(token)).toEqual({ user_name: user.name, domain_name: 'alpha', expires_at })
  const before = await signIn(user.name)
  const signedIn = await use(token)
  expect(signedIn).toMatchObject({ id: user.id, name: user.name })
  expect(await whoami(signedIn.token!)).toMatchObject({ id: user.id })
  expect(await refusal(whoami(before))).toMatchObject({ code: 'unauthorized' })
  expect(await refusal(signIn(user.name))).toMatchObject({ code: 'wrong_credentials' })
  expect(await signIn(user.name, NEXT)).toEqual(expect.any(String))
})

it('sets a session cookie for browsers', async () => {
  const { token } = await linkFor(await makeUser())
  const response = await server.fetch(passwordLinks.use, { body: { token, new_password: NEXT } })
  expect(response.headers.get('set-cookie')).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly/)
})

it('works only once, even for concurrent requests', async () => {
  const { token } = await linkFor(await makeUser())
  const both = await Promise.all([use(token), use(token, 'A third horse, 3')].map(refusal))
  expect(both.map((it) => (it === 'no refusal' ? 'used' : (it as { code: string }).code)).toSorted()).toEqual([
    'not_found',
    'used',
  ])
  expect(await refusal(open(token))).toMatchObject({ code: 'not_found' })
})

it('is invalidated by a newer link, by the deletion of its user and by expiry', async () => {
  const user = await makeUser()
  const first = await linkFor(user)
  const second = await linkFor(user)
  expect(await refusal(use(first.token))).toMatchObject({ code: 'not_found' })
  await server.sql.query("update identity_password_link set expires_at = now() - interval '1 s' where user_id = $1", [
    user.id,
  ])
  for (const serve of [open, use]) expect(await refusal(serve(second.token))).toMatchObject({ code: 'not_found' })
  const third = await linkFor(user)
  await server.call(users.delete, { as: admin, params: { id: user.id } })
  expect(await refusal(use(third.token))).toMatchObject({ code: 'not_found' })
})

it('stays valid if the new password does not comply with the rules', async () => {
  const { token } = await linkFor(await makeUser())
  for (const password of ['short 1', 'Password1234567890'])
    expect(await refusal(use(token, password))).toMatchObject({ code: 'validation', fields: ['new_password'] })
  expect(await use(token)).toMatchObject({ token: expect.any(String) as string })
})

it('can be created by callers who may set the user’s password', async () => {
  const other = await makeUser({}, server.cast.domains['beta']!.id)
  expect(await refusal(linkFor(other))).toMatchObject({ code: 'not_found' })
  expect(await linkFor(other, operator)).toMatchObject({ token: expect.any(String) as string })
  const self = server.cast.people['domain-admin'].user
  expect(await refusal(linkFor(self))).toMatchObject({ code: 'user_is_self' })
  const { user: viewer } = server.cast.people.viewer
  const ofDefault = await server.call(users.create, {
    as: operator,
    params: { domain_id: 'default' },
    body: { name: 'default_admin', password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  const as = { token: await signIn(ofDefault.name, PASSWORD, 'Default') }
  const above = server.call(passwordLinks.create, { as, params: { domain_id: 'default', id: viewer.id } })
  expect(await refusal(above)).toMatchObject({ code: 'forbidden' })
  const member = server.call(passwordLinks.create, {
    as: 'project-member',
    params: { id: (await makeUser()).id },
  })
  expect(await refusal(member)).toMatchObject({ code: 'forbidden' })
})

it('is stored as a hash, and its use is recorded in the audit log under the user', async () => {
  const user = await makeUser()
  const { token } = await linkFor(user)
  const kept = await server.sql.query('select l::text as all from identity_password_link l')
  expect(JSON.stringify(kept)).not.toContain(token)
  await use(token)
  const lines = await server.sql.query<{ path: string }>('select * from audit where user_id = $1 order by id', [
    user.id,
  ])
  expect(JSON.stringify(lines)).toContain('password-links/use')
  expect(JSON.stringify(await server.sql.query('select * from audit'))).not.toContain(token)
})

it('is refused for a disabled user', async () => {
  const user = await makeUser({ enabled: false })
  const { token } = await linkFor(user)
  expect(await refusal(use(token))).toMatchObject({ code: 'access_disabled' })
  expect(
    await refusal(server.call(session.login, { body: { username: user.name, password: NEXT, domain: 'alpha' } })),
  ).toMatchObject({ code: 'access_disabled' })
})
