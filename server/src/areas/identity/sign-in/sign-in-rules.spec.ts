import { signInRules } from '@mainstay/contract/identity/sign-in-rules'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { passkeys, passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { session } from '@mainstay/contract/identity/session'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { users } from '@mainstay/contract/identity/users'
import { notifications } from '@mainstay/contract/settings/notifications'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import {
  admin,
  makeUser,
  name,
  operator,
  refusal,
  server,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { Authenticator } from '../../../testing/outside/authenticator'
import { startMailServer } from '../../../testing/outside/mail-server'
import { PASSWORD } from '../../../testing/personas'
import { codeNow } from '../../../testing/sign-in/totp-code'

/*
 * A domain that requires a second factor. Users without one set it up at their next sign-in, before their session
 * starts.
 */

// a proxy terminates TLS and passes on the requested host name
withDirectory({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })

const alpha = () => server.cast.domains['alpha']!.id
const setRule = (second_factor: 'off' | 'required', domain_id = alpha()) =>
  server.call(signInRules.set, { as: operator, params: { domain_id }, body: { second_factor } })
// sign in the test users before a second factor is required
beforeAll(() => Promise.all(([operator, admin, 'project-member'] as const).map((who) => server.signIn(who))))
afterEach(() => setRule('off'))

const origin = 'https://cloud.example'
const headers = { origin, 'x-forwarded-host': 'cloud.example' }

const login = (username = name, domain = 'alpha') =>
  server.call(session.login, { body: { username, password: PASSWORD, domain } })
/** Checks that a sign-in is refused with this code, and returns the challenge with which it can be continued. */
async function asked(code: string, call: Promise<unknown> = login()): Promise<string> {
  const refused = (await refusal(call)) as { code: string; data: { challenge: string } }
  expect(refused.code).toBe(code)
  return refused.data.challenge
}
const setUp = async (challenge: string) => {
  const { secret } = await server.call(signInSteps.beginCodes, { body: { challenge } })
  return server.call(signInSteps.confirmCodes, { body: { challenge, code: codeNow(secret) } })
}

it('sets up one-time codes after the password and requires them from then on', async () => {
  await makeUser()
  expect(await login()).toMatchObject({ name })
  await setRule('required')
  const challenge = await asked('second_factor_missing')
  expect(await refusal(whoami(challenge))).toMatchObject({ code: 'unauthorized' })
  await server.call(signInSteps.beginCodes, { body: { challenge } })
  const wrong = server.call(signInSteps.confirmCodes, { body: { challenge, code: '000000' } })
  expect(await refusal(wrong)).toMatchObject({ code: 'validation', fields: ['code'] })
  const { user, recovery_codes } = await setUp(challenge)
  expect(recovery_codes).toHaveLength(10)
  expect(await whoami(user.token!)).toMatchObject({ name })
  expect(await refusal(setUp(challenge))).toMatchObject({ code: 'sign_in_expired' })
  const next = await asked('second_factor_required')
  const body = { challenge: next, code: recovery_codes[0]! }
  expect(await server.call(signInSteps.secondFactor, { body })).toMatchObject({ name })
})

it('accepts a passkey instead and then no longer accepts the password alone', async () => {
  await makeUser()
  await setRule('required')
  const challenge = await asked('second_factor_missing')
  const { publicKey } = await server.call(signInSteps.beginPasskey, { headers, body: { challenge } })
  const key = new Authenticator(origin)
  const body = { challenge, name: 'laptop', credential: key.create(publicKey) }
  const { users_without } = await setRule('required')
  const entered = await server.call(signInSteps.addPasskey, { headers, body })
  expect(entered).toMatchObject({ name })
  const again = server.call(signInSteps.beginPasskey, { headers, body: { challenge } })
  expect(await refusal(again)).toMatchObject({ code: 'sign_in_expired' })
  expect(await setRule('required')).toEqual({ second_factor: 'required', users_without: users_without - 1 })
  expect(await refusal(login())).toMatchObject({ code: 'passkey_required', data: {} })
  const options = async () => (await server.call(passkeySignIn.passkeyChallenge, { headers })).publicKey
  const enter = async () => server.call(passkeySignIn.passkey, { headers, body: key.use(await options()) })
  expect(await enter()).toMatchObject({ name })

  // the same applies if the password must be changed first
  const params = { domain_id: alpha(), id: entered.id }
  await server.call(users.update, { as: admin, params, body: { password: PASSWORD, must_change_password: true } })
  const change = await asked('password_change_required', enter())
  const renewed = { challenge: change, new_password: 'Another horse, 2' }
  // setting a new password removes the passkeys, so a second factor must be set up again
  const missing = await asked('second_factor_missing', server.call(signInSteps.renewPassword, { body: renewed }))
  expect((await setUp(missing)).user).toMatchObject({ name })
  await server.call(secondFactor.reset, { as: admin, params })
  await server.call(users.update, { as: admin, params, body: { password: PASSWORD } })
  expect((await setUp(await asked('second_factor_missing'))).user).toMatchObject({ name })
})

it('applies after a required password change and after using a password link', async () => {
  const user = await makeUser({ must_change_password: true })
  await setRule('required')
  const change = await asked('password_change_required')
  const renew = server.call(signInSteps.renewPassword, {
    body: { challenge: change, new_password: 'Another horse, 2' },
  })
  await asked('second_factor_missing', renew)
  const { token } = await server.call(passwordLinks.create, { as: admin, params: { domain_id: alpha(), id: user.id } })
  const use = server.call(passwordLinks.use, { body: { token, new_password: 'A third horse, 3' } })
  expect((await setUp(await asked('second_factor_missing', use))).user).toMatchObject({ name })
})

it('limits a challenge to its step, its user and its lifetime', async () => {
  await makeUser()
  await setRule('required')
  const challenge = await asked('second_factor_missing')
  const body = { challenge, code: '123456' }
  expect(await refusal(server.call(signInSteps.secondFactor, { body }))).toMatchObject({ code: 'sign_in_expired' })
  const other = await makeUser({ name: `${name}_other` })
  const ofOther = await asked('second_factor_missing', login(other.name))
  const { publicKey } = await server.call(signInSteps.beginPasskey, { headers, body: { challenge: ofOther } })
  const credential = new Authenticator(origin).create(publicKey)
  const foreign = server.call(signInSteps.addPasskey, { headers, body: { challenge, name: 'x', credential } })
  expect(await refusal(foreign)).toMatchObject({ code: 'validation', fields: ['credential'] })
  await server.sql.query("update sign_in_step set expires_at = now() - interval '1 s'")
  // an expired challenge does not return a new secret either
  const late = server.call(signInSteps.beginCodes, { body: { challenge } })
  expect(await refusal(late)).toMatchObject({ code: 'sign_in_expired' })
})

it('applies only in its own domain, where it includes system administrators', async () => {
  await setRule('required')
  const other = await makeUser({}, server.cast.domains['beta']!.id)
  expect(await login(other.name, 'beta')).toMatchObject({ name })
  await server.call(users.create, {
    ...{ as: operator, params: { domain_id: 'default' } },
    body: { name: `${name}_operator`, password: PASSWORD, system_permissions: ['admin'] },
  })
  await setRule('required', 'default')
  try {
    const challenge = await asked('second_factor_missing', login(`${name}_operator`, 'Default'))
    expect((await setUp(challenge)).user).toMatchObject({ name: `${name}_operator` })
  } finally {
    await setRule('off', 'default')
  }
})

it('is set by operators, counts users without a second factor and can be viewed by domain administrators', async () => {
  const before = await setRule('required')
  expect(before.second_factor).toBe('required')
  await makeUser()
  const view = (as: typeof operator | typeof admin | 'project-member', domain_id = alpha()) =>
    server.call(signInRules.view, { as, params: { domain_id } })
  expect(await view(operator)).toEqual({ second_factor: 'required', users_without: before.users_without + 1 })
  await setUp(await asked('second_factor_missing'))
  expect(await view(admin)).toEqual(before)
  const set = server.call(signInRules.set, {
    as: admin,
    params: { domain_id: alpha() },
    body: { second_factor: 'off' },
  })
  expect(await refusal(set)).toMatchObject({ code: 'forbidden' })
  expect(await refusal(view('project-member'))).toMatchObject({ code: 'forbidden' })
  expect(await refusal(view(admin, server.cast.domains['beta']!.id))).toMatchObject({ code: 'not_found' })
  const lines = await server.sql.query(
    "select user_name, subject_id from audit where action = 'sign_in_rules.set' and result = 'success' order by id desc limit 1",
  )
  expect(lines).toHaveLength(1)
  const codes = server.call(secondFactor.state, { as: admin })
  expect(await codes).toMatchObject({ is_on: false })
})

it('emails users when a second factor or passkey is added', async () => {
  const mail = await startMailServer()
  try {
    await server.call(notifications.save, {
      as: operator,
      body: {
        notification_settings: { from: 'cloud@example.com', email_recipients_list: [], alerts_severities: [] },
        smtp_settings: { smtp_server: '127.0.0.1', port: mail.port, connection_security: 'none' },
      },
    })
    const told = async (email: string, words: RegExp) =>
      vi.waitFor(
        () => expect(mail.taken.find(({ to }) => to[0] === email)?.text.replaceAll('=\r\n', '')).toMatch(words),
        20_000,
      )
    await setRule('required')
    await makeUser({ email: 'codes@example.com' })
    await setUp(await asked('second_factor_missing'))
    await told('codes@example.com', /second factor was set up/)

    const other = await makeUser({
      ...{ name: `${name}_other`, email: 'passkey@example.com' },
      assigned_projects: [{ project_id: server.cast.projects['alpha-one']!.id, role: 'project_member' }],
    })
    const key = () => new Authenticator(origin)
    const challenge = await asked('second_factor_missing', login(other.name))
    const { publicKey } = await server.call(signInSteps.beginPasskey, { headers, body: { challenge } })
    const body = { challenge, name: 'laptop', credential: key().create(publicKey) }
    const { token } = await server.call(signInSteps.addPasskey, { headers, body })
    await told('passkey@example.com', /passkey was added/)

    mail.taken.length = 0
    const as = { token: token! }
    const own = await server.call(passkeys.begin, { as, headers, body: { current_password: PASSWORD } })
    await server.call(passkeys.create, { as, body: { name: 'phone', credential: key().create(own.publicKey) } })
    await told('passkey@example.com', /passkey was added/)
  } finally {
    await mail.close()
  }
})
