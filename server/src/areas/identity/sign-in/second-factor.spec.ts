import { account } from '@mainstay/contract/identity/account'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { session } from '@mainstay/contract/identity/session'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { users } from '@mainstay/contract/identity/users'
import { beforeEach, expect, it } from 'vitest'
import { codeAt, stepAt } from '../../../session/second-factor/totp'
import {
  admin,
  makeUser,
  name,
  operator,
  refusal,
  server,
  signIn,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { keepLocked } from '../../../testing/sign-in/keep-locked'
import { PASSWORD } from '../../../testing/personas'

/* One-time codes after the password. Tests reset the last used step instead of waiting for the next code. */

withDirectory()

beforeEach(() => server.sql.query('delete from sign_in_failure'))

/** Returns the current code, or the code that will be valid `later` steps from now. */
const codeOf = (secret: string, later = 0) => codeAt(secret, stepAt(new Date()) + later)
const asIfLater = (id: string) => server.sql.query('update second_factor set last_step = 0 where user_id = $1', [id])

/** Users without a project cannot open an account page, where a second factor is set up. */
const inProject = () => ({
  assigned_projects: [{ project_id: server.cast.projects['alpha-one']!.id, role: 'project_member' as const }],
})
/** Creates a user with a second factor and signs in. */
async function withFactor(draft: Parameters<typeof makeUser>[0] = {}) {
  const user = await makeUser({ ...inProject(), ...draft })
  const as = { token: await signIn(user.name) }
  const { secret, uri } = await server.call(secondFactor.begin, { as, body: { current_password: PASSWORD } })
  const { recovery_codes } = await server.call(secondFactor.confirm, { as, body: { code: codeOf(secret) } })
  await asIfLater(user.id)
  return { user, as, secret, uri, recovery_codes }
}
const login = (username: string, password = PASSWORD) =>
  server.call(session.login, { body: { username, password, domain: 'alpha' } })
async function challenged(username: string): Promise<string> {
  const refused = (await refusal(login(username))) as { code: string; data: { challenge: string } }
  expect(refused.code).toBe('second_factor_required')
  return refused.data.challenge
}
const pass = (challenge: string, code: string) => server.call(signInSteps.secondFactor, { body: { challenge, code } })

it('is required after the password, before a session is created', async () => {
  const { user, secret } = await withFactor()
  const body = { username: user.name, password: PASSWORD, domain: 'alpha' }
  const response = await server.fetch(session.login, { body })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null])
  const challenge = await challenged(user.name)
  expect(await refusal(whoami(challenge))).toMatchObject({ code: 'unauthorized' })
  const answer = await server.fetch(signInSteps.secondFactor, { body: { challenge, code: codeOf(secret) } })
  expect(answer.headers.get('set-cookie')).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly/)
  const { token } = (await answer.json()) as { token: string }
  expect(await whoami(token)).toMatchObject({ id: user.id })
})

it('is not revealed to callers with a wrong password', async () => {
  const { user } = await withFactor()
  expect(await refusal(login(user.name, 'a guess'))).toMatchObject({ code: 'wrong_credentials', data: {} })
})

it('accepts each code and each challenge only once', async () => {
  const { user, secret } = await withFactor()
  const [one, two] = [await challenged(user.name), await challenged(user.name)]
  const code = codeOf(secret)
  const both = await Promise.all([pass(one, code), pass(two, code)].map(refusal))
  expect(both.map((it) => (it === 'no refusal' ? 'in' : (it as { code: string }).code)).toSorted()).toEqual([
    'in',
    'second_factor_wrong',
  ])
  const spent = both[0] === 'no refusal' ? one : two
  await asIfLater(user.id)
  expect(await refusal(pass(spent, codeOf(secret)))).toMatchObject({ code: 'sign_in_expired' })
})

it('limits a challenge to its user, its step and ten minutes', async () => {
  const { user } = await withFactor()
  const challenge = await challenged(user.name)
  const other = await withFactor({ name: `${name}_other` })
  expect(await refusal(pass(challenge, codeOf(other.secret)))).toMatchObject({ code: 'second_factor_wrong' })
  const renew = server.call(signInSteps.renewPassword, { body: { challenge, new_password: 'Another horse, 2' } })
  expect(await refusal(renew)).toMatchObject({ code: 'sign_in_expired' })
  await server.sql.query("update sign_in_step set expires_at = now() - interval '1 s'")
  expect(await refusal(pass(challenge, '123456'))).toMatchObject({ code: 'sign_in_expired' })
})

it('locks the user after wrong codes just as after wrong passwords, even if challenges are renewed', async () => {
  const { user, secret } = await withFactor()
  for (let count = 0; count < 5; count += 1)
    expect(await refusal(pass(await challenged(user.name), codeOf(secret, 50)))).toMatchObject({
      code: 'second_factor_wrong',
    })
  await keepLocked(server)
  expect(await refusal(pass(await challenged(user.name), codeOf(secret)))).toMatchObject({ code: 'too_many_attempts' })
  const lock = await server.call(users.lock, { as: admin, params: { id: user.id } })
  expect(lock.failures).toBe(5)
  await server.call(users.unlock, { as: admin, params: { id: user.id } })
  expect(await pass(await challenged(user.name), codeOf(secret))).toMatchObject({ id: user.id })
})

it('accepts each of ten recovery codes once, regardless of case and separators', async () => {
  const { user, as, recovery_codes: codes } = await withFactor()
  expect(new Set(codes).size).toBe(10)
  const first = codes[0]!
  expect(first).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  await pass(await challenged(user.name), first.toLowerCase().replaceAll('-', ' '))
  expect(await refusal(pass(await challenged(user.name), first))).toMatchObject({ code: 'second_factor_wrong' })
  expect(await server.call(secondFactor.state, { as })).toMatchObject({ is_on: true, recovery_codes_left: 9 })
  const renewed = await server.call(secondFactor.renewRecoveryCodes, { as, body: { current_password: PASSWORD } })
  expect(await refusal(pass(await challenged(user.name), codes[1]!))).toMatchObject({ code: 'second_factor_wrong' })
  expect(await pass(await challenged(user.name), renewed.recovery_codes[1]!)).toMatchObject({ id: user.id })
})

it('is enabled with a first valid code and can be changed only with the password', async () => {
  await makeUser(inProject())
  const as = { token: await signIn(name) }
  const wrong = { current_password: 'a guess' }
  for (const call of [secondFactor.begin, secondFactor.renewRecoveryCodes, secondFactor.remove])
    expect(await refusal(server.call(call, { as, body: wrong }))).toMatchObject({ code: 'current_password_wrong' })
  const body = { current_password: PASSWORD }
  expect(await refusal(server.call(secondFactor.confirm, { as, body: { code: '123456' } }))).toMatchObject({
    code: 'conflict',
  })
  const { secret } = await server.call(secondFactor.begin, { as, body })
  const wrongCode = server.call(secondFactor.confirm, { as, body: { code: codeOf(secret, 50) } })
  expect(await refusal(wrongCode)).toMatchObject({ code: 'validation', fields: ['code'] })
  expect(await server.call(secondFactor.state, { as })).toMatchObject({ is_available: true, is_on: false })
  await login(name)
  await server.call(secondFactor.confirm, { as, body: { code: codeOf(secret) } })
  expect(await refusal(server.call(secondFactor.begin, { as, body }))).toMatchObject({ code: 'conflict' })
  await server.call(secondFactor.remove, { as, body })
  expect(await login(name)).toMatchObject({ name })
})

it('is not required for API tokens, which cannot change it either', async () => {
  const { user, as } = await withFactor()
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const { token } = await server.call(account.createToken, { as, body: { name: 'x', expires_at } })
  expect(await whoami(token)).toMatchObject({ id: user.id })
  const remove = server.call(secondFactor.remove, { as: { token }, body: { current_password: PASSWORD } })
  expect(await refusal(remove)).toMatchObject({ code: 'forbidden' })
})

it('is required before a password change and disabled by the new password', async () => {
  const { user, secret } = await withFactor()
  const params = { domain_id: user.domain_id, id: user.id }
  await asIfLater(user.id)
  await server.call(users.update, { as: admin, params, body: { password: PASSWORD, must_change_password: true } })
  const next = (await refusal(pass(await challenged(user.name), codeOf(secret)))) as {
    code: string
    data: { challenge: string }
  }
  expect(next.code).toBe('password_change_required')
  const body = { challenge: next.data.challenge, new_password: 'A third horse, 3' }
  expect(await server.call(signInSteps.renewPassword, { body })).toMatchObject({ id: user.id })
  expect(await server.call(secondFactor.stateOfUser, { as: admin, params })).toMatchObject({ is_on: false })
})

it('is disabled when an administrator’s link is used, because someone else may have set it up', async () => {
  const { user } = await withFactor()
  const params = { domain_id: user.domain_id, id: user.id }
  const { token } = await server.call(passwordLinks.create, { as: admin, params })
  const used = server.call(passwordLinks.use, { body: { token, new_password: 'Another horse, 2' } })
  expect(await used).toMatchObject({ id: user.id })
})

it('can be reset by administrators for users in their domain, except for users with more rights', async () => {
  const { user } = await withFactor()
  const params = { domain_id: user.domain_id, id: user.id }
  expect(await server.call(secondFactor.stateOfUser, { as: admin, params })).toMatchObject({ is_on: true })
  const self = server.cast.people['domain-admin'].user
  const own = server.call(secondFactor.reset, { as: admin, params: { domain_id: self.domain_id, id: self.id } })
  expect(await refusal(own)).toMatchObject({ code: 'user_is_self' })
  expect(await refusal(server.call(secondFactor.reset, { as: 'project-member', params }))).toMatchObject({
    code: 'forbidden',
  })
  const other = await makeUser({ name: `${name}_beta` }, server.cast.domains['beta']!.id)
  const foreign = server.call(secondFactor.reset, { as: admin, params: { id: other.id } })
  expect(await refusal(foreign)).toMatchObject({ code: 'not_found' })
  await server.call(users.create, {
    ...{ as: operator, params: { domain_id: 'default' } },
    body: { name: `${name}_d`, password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  const as = { token: await signIn(`${name}_d`, PASSWORD, 'Default') }
  const { id } = server.cast.people.viewer.user
  const above = server.call(secondFactor.reset, { as, params: { domain_id: 'default', id } })
  expect(await refusal(above)).toMatchObject({ code: 'forbidden' })
  await server.call(secondFactor.reset, { as: admin, params })
  expect(await login(user.name)).toMatchObject({ id: user.id })
})

it('is stored encrypted with hashed recovery codes and recorded in the audit log without secrets', async () => {
  const { user, secret, recovery_codes } = await withFactor()
  const kept = JSON.stringify(await server.sql.query('select f::text as all from second_factor f'))
  const audit = JSON.stringify(await server.sql.query('select * from audit'))
  for (const text of [secret, Buffer.from(secret).toString('hex'), ...recovery_codes]) {
    expect(kept).not.toContain(text)
    expect(audit).not.toContain(text)
  }
  const lines = await server.sql.query<{ action: string }>(
    "select action from audit where user_id = $1 and result = 'success' order by id",
    [user.id],
  )
  expect(lines.map(({ action }) => action)).toEqual(['session.login', 'second_factor.begin', 'second_factor.confirm'])
})
