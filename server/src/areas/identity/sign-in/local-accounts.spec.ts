import { account } from '@mainstay/contract/identity/account'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { session } from '@mainstay/contract/identity/session'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { users, type User } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import {
  admin,
  makeUser,
  name,
  operator,
  refusal,
  server,
  signIn,
  viewUser,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { keepLocked } from '../../../testing/sign-in/keep-locked'
import { PASSWORD } from '../../../testing/personas'

/* Temporary passwords and locked accounts. */

withDirectory()

const NEXT = 'Another horse, 2'

const login = (username = name, password = PASSWORD) =>
  server.call(session.login, { body: { username, password, domain: 'alpha' } })
/** Signs in with a temporary password and returns the challenge for setting a new one. */
async function challenged(username = name): Promise<string> {
  const refused = (await refusal(login(username))) as { code: string; data: { challenge: string } }
  expect(refused.code).toBe('password_change_required')
  return refused.data.challenge
}
const renew = (challenge: string, new_password = NEXT) =>
  server.call(signInSteps.renewPassword, { body: { challenge, new_password } })

it('allows only a password change after signing in with a temporary password', async () => {
  const user = await makeUser({ must_change_password: true })
  expect(user.password_state).toBe('temporary')
  const response = await server.fetch(session.login, { body: { username: name, password: PASSWORD, domain: 'alpha' } })
  expect(response.status).toBe(401)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(await server.sql.query('select id from session where user_id = $1', [user.id])).toEqual([])
  const challenge = await challenged()
  expect(await refusal(whoami(challenge))).toMatchObject({ code: 'unauthorized' })
  const signedIn = await renew(challenge)
  expect(await whoami(signedIn.token!)).toMatchObject({ id: user.id })
  expect((await viewUser(user.id)).password_state).toBe('chosen')
  expect(await refusal(login())).toMatchObject({ code: 'wrong_credentials' })
  expect(await signIn(name, NEXT)).toEqual(expect.any(String))
})

it('requires a new password that differs from the old one and complies with the rules', async () => {
  await makeUser({ must_change_password: true })
  const challenge = await challenged()
  for (const password of [PASSWORD, 'short 1', 'Password1234567890'])
    expect([password, await refusal(renew(challenge, password))]).toMatchObject([
      password,
      { code: 'validation', fields: ['new_password'] },
    ])
  expect(await renew(challenge)).toMatchObject({ name })
})

it('accepts a challenge once, only for its own user and within ten minutes', async () => {
  await makeUser({ must_change_password: true })
  const [first, second] = [await challenged(), await challenged()]
  await renew(first)
  for (const spent of [first, second])
    expect(await refusal(renew(spent, 'A third horse, 3'))).toMatchObject({
      code: expect.stringMatching(/sign_in_expired|not_found/) as string,
    })
  await server.call(users.create, {
    as: admin,
    body: { name: `${name}_b`, password: PASSWORD, must_change_password: true },
  })
  const late = await challenged(`${name}_b`)
  await server.sql.query("update sign_in_step set expires_at = now() - interval '1 s'")
  expect(await refusal(renew(late))).toMatchObject({ code: 'sign_in_expired' })
  expect(await refusal(renew('x'.repeat(43)))).toMatchObject({ code: 'sign_in_expired' })
})

it('ends the sessions and revokes the tokens of a user who must change the password', async () => {
  const user = await makeUser({ domain_permissions: ['domain_admin'] })
  const token = await signIn(name)
  const end = new Date(Date.now() + 86_400_000).toISOString()
  const program = await server.call(account.createToken, { as: { token }, body: { name: 'x', expires_at: end } })
  await server.call(users.update, { as: admin, params: { id: user.id }, body: { must_change_password: true } })
  for (const one of [token, program.token]) expect(await refusal(whoami(one))).toMatchObject({ code: 'unauthorized' })
  await challenged()
})

it('does not let users expire their own password; setting a permanent one requires no change', async () => {
  const self = server.cast.people['domain-admin'].user
  const own = server.call(users.update, { as: admin, params: { id: self.id }, body: { must_change_password: true } })
  expect(await refusal(own)).toMatchObject({ code: 'validation', fields: ['must_change_password'] })
  const user = await makeUser({ must_change_password: true })
  await server.call(users.update, { as: admin, params: { id: user.id }, body: { password: NEXT } })
  expect(await signIn(name, NEXT)).toEqual(expect.any(String))
})

it('creates a user without a password, who must use a link before signing in', async () => {
  const user = await server.call(users.create, { as: admin, body: { name } })
  expect(user.password_state).toBe('none')
  for (const guess of [PASSWORD, 'none', ' '])
    expect(await refusal(login(name, guess))).toMatchObject({ code: 'wrong_credentials' })
  const { token } = await server.call(passwordLinks.create, {
    as: admin,
    params: { domain_id: user.domain_id, id: user.id },
  })
  await server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
  expect((await viewUser(user.id)).password_state).toBe('chosen')
  expect(await signIn(name, NEXT)).toEqual(expect.any(String))
})

const lockOf = ({ id }: User) => server.call(users.lock, { as: admin, params: { id } })
async function guess(times: number) {
  for (let count = 0; count < times; count += 1) await refusal(login(name, 'a guess'))
}

it('shows administrators when a locked user can sign in again and lets them unlock the user', async () => {
  const user = await makeUser()
  expect(await lockOf(user)).toEqual({ failures: 0, locked_until: null })
  await guess(3)
  expect(await lockOf(user)).toEqual({ failures: 3, locked_until: null })
  await guess(2)
  await keepLocked(server)
  // an attempt during a lock is not counted
  await guess(1)
  const lock = await lockOf(user)
  expect(lock.failures).toBe(5)
  expect(Date.parse(lock.locked_until!)).toBeGreaterThan(Date.now() - 1000)
  await server.sql.query(
    "update sign_in_failure set last_at = now() + interval '30 s', failures = 9 where owner is not null",
  )
  expect(await refusal(login())).toMatchObject({ code: 'too_many_attempts' })
  await server.call(users.unlock, { as: admin, params: { id: user.id } })
  expect(await lockOf(user)).toEqual({ failures: 0, locked_until: null })
  expect(await signIn(name)).toEqual(expect.any(String))
  const lines = await server.sql.query(
    "select subject_id from audit where action = 'user.unlock' and result = 'success'",
  )
  expect(lines).toEqual([{ subject_id: user.id }])
})

it('does not let administrators unlock users in other domains or users with more rights', async () => {
  const other = await makeUser({}, server.cast.domains['beta']!.id)
  for (const call of [users.lock, users.unlock])
    expect(await refusal(server.call(call, { as: admin, params: { id: other.id } }))).toMatchObject({
      code: 'not_found',
    })
  const member = server.call(users.unlock, { as: 'project-member', params: { id: other.id } })
  expect(await refusal(member)).toMatchObject({ code: 'forbidden' })
  await server.call(users.create, {
    as: operator,
    params: { domain_id: 'default' },
    body: { name: `${name}_d`, password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  const as = { token: await signIn(`${name}_d`, PASSWORD, 'Default') }
  const { id } = server.cast.people.viewer.user
  const above = server.call(users.unlock, { as, params: { domain_id: 'default', id } })
  expect(await refusal(above)).toMatchObject({ code: 'forbidden' })
})
