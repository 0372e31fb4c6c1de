import { passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { domains } from '@mainstay/contract/identity/domains'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { describe, expect, it } from 'vitest'
import { keepLocked } from '../../../testing/sign-in/keep-locked'
import { Authenticator } from '../../../testing/outside/authenticator'
import { admin, name, operator, refusal, server, whoami } from '../../../testing/directory-fixture'
import {
  begin,
  challenge,
  enter,
  listOf,
  ofPage,
  origin,
  withPasskey,
  withPasskeys,
} from '../../../testing/sign-in/passkey-fixture'
import { PASSWORD } from '../../../testing/personas'
import { codeNow } from '../../../testing/sign-in/totp-code'

withPasskeys()

it('signs in without a password and without a second factor', async () => {
  const { who, key, made } = await withPasskey()
  expect(made).toMatchObject({ name: 'laptop', host: 'cloud.example', last_used_at: null })
  expect(await server.call(passkeySignIn.passkeyWay)).toEqual({ is_offered: true })
  const as = { token: who.token }
  const { secret } = await server.call(secondFactor.begin, { as, body: { current_password: PASSWORD } })
  await server.call(secondFactor.confirm, { as, body: { code: codeNow(secret) } })

  const answer = await server.fetch(passkeySignIn.passkey, { headers: ofPage(), body: key.use(await challenge()) })
  expect(answer.headers.get('set-cookie')).toContain('session-self-service=')
  const { token, external_provider } = (await answer.json()) as { token: string; external_provider: string | null }
  expect(await whoami(token)).toMatchObject({ id: who.id })
  expect(external_provider).toBeNull()
  const [known] = (await listOf(who)).data
  expect(known!.last_used_at).not.toBeNull()
})

it('works for both panels of a host but for no other host', async () => {
  const { who, key } = await withPasskey()
  const ofAdmin = new Authenticator(`${origin}:8888`)
  Object.assign(ofAdmin, {
    credentialId: key.credentialId,
    key: key.key,
    userHandle: key.userHandle,
    counter: key.counter,
  })
  expect(await enter(ofAdmin.use(await challenge(ofAdmin.origin)))).toMatchObject({ id: who.id })
  const elsewhere = await challenge('https://other.example')
  expect(elsewhere.rpId).toBe('other.example')
  expect(await refusal(enter(key.use(elsewhere, { host: 'cloud.example' })))).toMatchObject({ code: 'passkey_refused' })
})

describe('refuses a passkey response that', () => {
  const lies: [string, Parameters<Authenticator['use']>[1], RegExp][] = [
    ['is from another page', { origin: 'https://evil.example' }, /another page: https:\/\/evil\.example/],
    ['is from another port', { origin: `${origin}:444` }, /another page/],
    ['is for another host', { host: 'evil.example' }, /belongs to another host/],
    ['has no user verification', { isVerified: false }, /fingerprint, face or PIN/],
    ['was created for a different operation', { type: 'webauthn.create' }, /different operation/],
    ['was given in a frame of another website', { crossOrigin: true }, /in a frame/],
  ]
  it.each(lies)('%s', async (_, lie, said) => {
    const { who, key } = await withPasskey()
    const refused = await refusal(enter(key.use(await challenge(), lie)))
    expect(refused).toMatchObject({ code: 'passkey_refused', message: expect.stringMatching(said) as string })
    // the passkey itself stays valid
    expect(await enter(key.use(await challenge()))).toMatchObject({ id: who.id })
  })

  it('is for a used, expired or invented challenge', async () => {
    const { key } = await withPasskey()
    const used = key.use(await challenge())
    await enter(used)
    expect(await refusal(enter(used))).toMatchObject({ code: 'sign_in_expired' })
    const late = await challenge()
    await server.sql.query("update passkey_challenge set expires_at = now() - interval '1 s'")
    expect(await refusal(enter(key.use(late)))).toMatchObject({ code: 'sign_in_expired' })
    const madeUp = { ...late, challenge: 'A'.repeat(43) }
    expect(await refusal(enter(key.use(madeUp)))).toMatchObject({ code: 'sign_in_expired' })
  })

  it('is for a challenge to add a passkey', async () => {
    const { who, key } = await withPasskey()
    const creation = await begin(who)
    const used = key.use({ ...(await challenge()), challenge: creation.challenge })
    expect(await refusal(enter(used))).toMatchObject({ code: 'sign_in_expired' })
  })

  it('is for a challenge that has already been answered incorrectly', async () => {
    const { key } = await withPasskey()
    const asked = await challenge()
    await refusal(enter(key.use(asked, { isVerified: false })))
    expect(await refusal(enter(key.use(asked)))).toMatchObject({ code: 'sign_in_expired' })
  })

  it('has an invalid signature or names another user', async () => {
    const one = await withPasskey()
    const other = await withPasskey({ name: `${name}_other` })
    const forger = Object.assign(new Authenticator(origin), { userHandle: one.key.userHandle, counter: 10 })
    const forged = { ...forger.use(await challenge()), id: one.key.id }
    expect(await refusal(enter(forged))).toMatchObject({
      code: 'passkey_refused',
      message: expect.stringContaining('signature is not valid') as string,
    })
    one.key.userHandle = other.key.userHandle
    expect(await refusal(enter(one.key.use(await challenge())))).toMatchObject({
      code: 'passkey_refused',
      message: expect.stringContaining('belongs to another user') as string,
    })
  })

  it('comes from an unknown passkey', async () => {
    const stranger = new Authenticator(origin)
    stranger.userHandle = Buffer.from('nobody').toString('base64url')
    expect(await refusal(enter(stranger.use(await challenge())))).toMatchObject({
      code: 'passkey_refused',
      message: expect.stringContaining('it is unknown') as string,
    })
  })

  it('is malformed or too large', async () => {
    const { key } = await withPasskey()
    const broken = async (part: object) => {
      const { id, response } = key.use(await challenge())
      return refusal(enter({ id, response: { ...response, ...part } }))
    }
    for (const part of [
      { clientDataJSON: Buffer.from('{').toString('base64url') },
      { clientDataJSON: Buffer.from('null').toString('base64url') },
      { authenticatorData: 'AAAA' },
      { signature: 'AAAA' },
    ])
      expect(await broken(part)).toMatchObject({ code: 'passkey_refused' })
    for (const [field, part] of [
      ['authenticatorData', { authenticatorData: 'A'.repeat(2049) }],
      ['signature', { signature: 'A'.repeat(1025) }],
      ['userHandle', { userHandle: 'A'.repeat(129) }],
      ['clientDataJSON', { clientDataJSON: 'A'.repeat(4097) }],
      ['signature', { signature: 'not base64!' }],
    ] as const)
      expect(await broken(part)).toMatchObject({ code: 'validation', fields: [`response.${field}`] })
  })
})

it('refuses a passkey whose counter decreases, and records its owner in the audit log', async () => {
  const { who, key } = await withPasskey()
  await enter(key.use(await challenge()))
  key.counter -= 1
  const refused = await refusal(enter(key.use(await challenge())))
  expect(refused).toMatchObject({ code: 'passkey_copied', message: expect.stringContaining('“laptop”') as string })
  const lines = await server.sql.query(
    "select user_name, result, error_code from audit where action = 'session.passkey' order by id desc limit 1",
  )
  expect(lines).toEqual([{ user_name: who.name, result: 'error', error_code: 'passkey_copied' }])
  key.counter += 5
  expect(await enter(key.use(await challenge()))).toMatchObject({ id: who.id })
})

it('repeatedly accepts a passkey without a counter, such as a synced passkey', async () => {
  const { who, key } = await withPasskey({}, false)
  for (const _ of [1, 2]) expect(await enter(key.use(await challenge()))).toMatchObject({ id: who.id })
})

it('refuses deleted users, disabled users and users of disabled domains', async () => {
  const { who, key } = await withPasskey()
  const params = { domain_id: who.domain_id, id: who.id }
  await server.call(users.update, { as: admin, params, body: { enabled: false } })
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'access_disabled' })
  await server.call(users.update, { as: admin, params, body: { enabled: true } })
  const domain = { as: operator, params: { id: who.domain_id } } as const
  await server.call(domains.update, { ...domain, body: { enabled: false } })
  const disabled = await refusal(enter(key.use(await challenge())))
  await server.call(domains.update, { ...domain, body: { enabled: true } })
  expect(disabled).toMatchObject({ code: 'access_disabled', data: { subject: 'domain' } })
  expect(await enter(key.use(await challenge()))).toMatchObject({ id: who.id })
  await server.call(users.delete, { as: admin, params })
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'passkey_refused' })
})

it('is locked together with the password and does not bypass a required password change', async () => {
  const { who, key } = await withPasskey()
  await server.sql.query('delete from sign_in_source')
  const guess = { username: who.name, password: 'a guess', domain: 'alpha' }
  for (let count = 0; count < 5; count += 1) await refusal(server.call(session.login, { body: guess }))
  await keepLocked(server)
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'too_many_attempts' })
  await server.call(users.unlock, { as: admin, params: { id: who.id } })
  expect(await enter(key.use(await challenge()))).toMatchObject({ id: who.id })
  const params = { domain_id: who.domain_id, id: who.id }
  await server.call(users.update, { as: admin, params, body: { password: PASSWORD, must_change_password: true } })
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'password_change_required' })
})
