import { createHash } from 'node:crypto'
import { account } from '@mainstay/contract/identity/account'
import { LDAP_SOURCE } from '@mainstay/contract/identity/directory-source'
import { groups } from '@mainstay/contract/identity/groups'
import { MOST_PASSKEYS, passkeys, passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { session } from '@mainstay/contract/identity/session'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { users } from '@mainstay/contract/identity/users'
import { describe, expect, it, vi } from 'vitest'
import { limits } from '../../../limits'
import { Authenticator } from '../../../testing/outside/authenticator'
import { admin, makeUser, name, operator, refusal, server, signIn, whoami } from '../../../testing/directory-fixture'
import {
  add,
  begin,
  challenge,
  enter,
  inProject,
  listOf,
  ofPage,
  origin,
  person,
  withPasskey,
  withPasskeys,
  type Person,
} from '../../../testing/sign-in/passkey-fixture'
import { PASSWORD } from '../../../testing/personas'

withPasskeys()

/** An 8192-bit RSA key in COSE format. */
const longKey = [
  [1, 3],
  [3, -257],
  [-1, Buffer.alloc(1024, 0xff)],
  [-2, Buffer.of(1, 0, 1)],
] as const

describe('adding a passkey', () => {
  it('requires the password and a page that is served under a host name', async () => {
    const who = await person()
    expect(await refusal(begin(who, 'a guess'))).toMatchObject({ code: 'current_password_wrong' })
    expect(await refusal(begin(who, PASSWORD, 'https://10.0.0.5'))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('IP address') as string,
    })
    const body = { current_password: PASSWORD }
    const ofProgram = server.call(passkeys.begin, { as: { token: who.token }, body })
    expect(await refusal(ofProgram)).toMatchObject({ code: 'unsupported' })
    const options = await begin(who)
    expect(options).toMatchObject({
      rp: { id: 'cloud.example' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
  })

  it('refuses responses from other pages, hosts or users, and unverified, expired or repeated responses', async () => {
    const who = await person()
    const other = await person({ name: `${name}_other` })
    const key = new Authenticator(origin)
    for (const [lie, said] of [
      [{ origin: 'https://evil.example' }, /another page/],
      [{ host: 'evil.example' }, /another host/],
      [{ isVerified: false }, /fingerprint, face or PIN/],
      [{ type: 'webauthn.get' }, /different operation/],
      [{ publicKey: [[1, 2]] as const }, /damaged/],
      [{ publicKey: longKey }, /key is too long/],
    ] as const)
      expect(await refusal(add(who, key.create(await begin(who), lie)))).toMatchObject({
        ...{ code: 'validation', fields: ['credential'] },
        message: expect.stringMatching(said) as string,
      })
    const renamed = { ...key.create(await begin(who)), id: new Authenticator(origin).id }
    expect(await refusal(add(who, renamed))).toMatchObject({
      message: expect.stringContaining('ID does not match') as string,
    })
    const over = { code: 'validation', message: expect.stringContaining('it took too long to add it') as string }
    const ofOther = key.create(await begin(other))
    expect(await refusal(add(who, ofOther))).toMatchObject(over)
    const late = key.create(await begin(who))
    await server.sql.query("update passkey_challenge set expires_at = now() - interval '1 s'")
    expect(await refusal(add(who, late))).toMatchObject(over)
    const good = key.create(await begin(who))
    await add(who, good)
    expect(await refusal(add(who, good, 'again'))).toMatchObject(over)
    expect(await refusal(add(other, key.create(await begin(other))))).toMatchObject({ code: 'conflict' })
    expect((await listOf(who)).data.map((it) => it.name)).toEqual(['laptop'])
    expect((await begin(who)).excludeCredentials).toEqual([
      { type: 'public-key', id: key.id, transports: ['internal'] },
    ])
    expect((await begin(who, PASSWORD, 'https://other.example')).excludeCredentials).toEqual([])
  })

  it('accepts any attestation and does not verify the manufacturer', async () => {
    const who = await person()
    const key = new Authenticator(origin)
    const statement = [
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
      ['x5c', Buffer.alloc(200)],
    ] as const
    const made = key.create(await begin(who), { attestation: ['packed', statement] })
    expect(await add(who, made)).toMatchObject({ name: 'laptop' })
  })

  it('limits the names, the number and the size of passkeys', async () => {
    const { who, key } = await withPasskey()
    const next = async (of: string) => add(who, new Authenticator(origin).create(await begin(who)), of)
    expect(await refusal(next('Laptop'))).toMatchObject({ code: 'duplicate_name', fields: ['name'] })
    const large = { ...key.create(await begin(who)) }
    large.response.attestationObject = 'A'.repeat(16_385)
    expect(await refusal(add(who, large, 'large'))).toMatchObject({
      ...{ code: 'validation', fields: ['credential.response.attestationObject'] },
    })
    await server.sql.query(
      `insert into passkey (id, user_id, credential_id, public_key, counter, host, name, transports, is_synced, created_at)
        select 'x' || n || $1, $1, decode(md5($1 || n), 'hex'), '', 0, 'x', 'n' || n, '{}', false, now()
        from generate_series(2, $2::int) n`,
      [who.id, MOST_PASSKEYS],
    )
    expect(await refusal(next('one more'))).toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('20 passkeys') as string },
    })
  })
})

it('lets users rename and remove only their own passkeys', async () => {
  const { who, made } = await withPasskey()
  const other = await person({ name: `${name}_other` })
  const [as, params] = [{ token: who.token }, { id: made.id }]
  expect(await server.call(passkeys.rename, { as, params, body: { name: 'phone' } })).toMatchObject({ name: 'phone' })
  const body = { current_password: PASSWORD }
  const foreign = { as: { token: other.token }, params }
  expect(await refusal(server.call(passkeys.rename, { ...foreign, body: { name: 'mine' } }))).toMatchObject({
    code: 'not_found',
  })
  expect(await refusal(server.call(passkeys.remove, { ...foreign, body }))).toMatchObject({ code: 'not_found' })
  const wrong = server.call(passkeys.remove, { as, params, body: { current_password: 'a guess' } })
  expect(await refusal(wrong)).toMatchObject({ code: 'current_password_wrong' })
  await server.call(passkeys.remove, { as, params, body })
  expect((await listOf(who)).data).toEqual([])
  const lines = await server.sql.query<{ action: string }>(
    "select action from audit where user_id = $1 and result = 'success' and action like 'passkey.%' order by id",
    [who.id],
  )
  expect(lines.map(({ action }) => action)).toEqual([
    'passkey.begin',
    'passkey.create',
    'passkey.rename',
    'passkey.remove',
  ])
})

it('refuses project tokens and federated users', async () => {
  const { who, made } = await withPasskey()
  const id = server.cast.projects['alpha-one']!.id
  const inside = (await server.call(session.enterProject, { as: { token: who.token }, params: { id } })) as Person
  const changes = (token: string) => {
    const [as, params, current_password] = [{ token }, { id: made.id }, PASSWORD]
    return Promise.all([
      refusal(begin({ token })),
      refusal(server.call(passkeys.rename, { as, params, body: { name: 'mine' } })),
      refusal(server.call(passkeys.remove, { as, params, body: { current_password } })),
    ])
  }
  for (const it of [await refusal(listOf(inside)), ...(await changes(inside.token))])
    expect(it).toMatchObject({ code: 'forbidden' })
  const elsewhere = await signIn(who.name)
  await server.sql.query("update session set external_provider = 'company' where user_id = $1", [who.id])
  for (const it of await changes(elsewhere)) expect(it).toMatchObject({ code: 'unsupported' })
})

it('lets administrators count and remove passkeys in their domain, but not of users with more rights', async () => {
  const { who, key } = await withPasskey()
  const params = { domain_id: who.domain_id, id: who.id }
  expect(await server.call(passkeys.ofUser, { as: admin, params })).toEqual({ count: 1, last_used_at: null })
  const self = server.cast.people['domain-admin'].user
  const own = server.call(passkeys.reset, { as: admin, params: { domain_id: self.domain_id, id: self.id } })
  expect(await refusal(own)).toMatchObject({ code: 'user_is_self' })
  const byMember = server.call(passkeys.reset, { as: 'project-member', params })
  expect(await refusal(byMember)).toMatchObject({ code: 'forbidden' })
  const other = await makeUser({ name: `${name}_beta` }, server.cast.domains['beta']!.id)
  for (const call of [passkeys.ofUser, passkeys.reset])
    expect(await refusal(server.call(call, { as: admin, params: { id: other.id } }))).toMatchObject({
      code: 'not_found',
    })
  await server.call(users.create, {
    ...{ as: operator, params: { domain_id: 'default' } },
    body: { name: `${name}_d`, password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  const as = { token: await signIn(`${name}_d`, PASSWORD, 'Default') }
  const { id } = server.cast.people.viewer.user
  const above = server.call(passkeys.reset, { as, params: { domain_id: 'default', id } })
  expect(await refusal(above)).toMatchObject({ code: 'forbidden' })
  await server.call(passkeys.reset, { as: admin, params })
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'passkey_refused' })
  expect(await server.call(passkeys.ofUser, { as: admin, params })).toMatchObject({ count: 0 })
})

it('stores only public keys and hashes of challenges', async () => {
  const { key } = await withPasskey()
  const asked = await challenge()
  const kept = JSON.stringify(
    await server.sql.query('select p::text as one from passkey p union all select c::text from passkey_challenge c'),
  )
  const { d = '' } = key.key.export({ format: 'jwk' })
  for (const secret of [asked.challenge, Buffer.from(asked.challenge).toString('hex')])
    expect(kept).not.toContain(secret)
  expect(kept).toContain(createHash('sha256').update(asked.challenge).digest('hex'))
  expect(kept).not.toContain(Buffer.from(d, 'base64url').toString('hex'))
})

it('limits the number of pending challenges per address across all servers', async () => {
  const from = (address: string) =>
    server.call(passkeySignIn.passkeyChallenge, { headers: { ...ofPage(), 'x-forwarded-for': address } })
  const waiting = (network: string) => server.sql.query('select 1 from passkey_challenge where network = $1', [network])
  // challenges that were created by other servers
  await server.sql.query(
    `insert into passkey_challenge (hash, network, host, origin, expires_at)
      select sha256(n::text::bytea), '192.0.2.77', 'x', 'x', now() + interval '4 minutes' from generate_series(1, $1) n`,
    [limits.passkeyChallenges.waiting - 1],
  )
  expect(await from('192.0.2.77')).toBeTruthy()
  expect(await refusal(from('192.0.2.77'))).toMatchObject({ code: 'too_many_requests' })
  expect(await waiting('192.0.2.77')).toHaveLength(limits.passkeyChallenges.waiting)
  expect(await from('192.0.2.78')).toBeTruthy()
  // expired challenges do not count
  await server.sql.query(
    "update passkey_challenge set expires_at = now() - interval '1 s' where network = '192.0.2.77'",
  )
  expect(await from('192.0.2.77')).toBeTruthy()
})

it('refuses a user who has been moved to an external identity provider', async () => {
  const { who, key } = await withPasskey()
  expect((await enter(key.use(await challenge()))).name).toBe(who.name)
  await server.sql.query('update identity_user set identity_provider = $2 where id = $1', [who.id, LDAP_SOURCE])
  expect(await refusal(enter(key.use(await challenge())))).toMatchObject({ code: 'passkey_refused' })
})

describe('access left in an account', () => {
  const NEXT = 'Another horse, 2'
  const until = () => new Date(Date.now() + 86_400_000).toISOString()
  /** Creates a user whose account contains a passkey, a token and an S3 key added by someone else. */
  async function planted(domain: 'alpha' | 'Default' = 'alpha') {
    const user = domain === 'alpha' ? await makeUser(inProject()) : await makeUser(inProject(), 'default')
    const who = { ...user, token: await signIn(user.name, PASSWORD, domain) }
    const key = new Authenticator(origin)
    await add(who, key.create(await begin(who)))
    const body = { name: 'left', expires_at: until() }
    const { token: program } = await server.call(account.createToken, { as: { token: who.token }, body })
    const owner = { user_id: who.id, domain_id: who.domain_id }
    const storage = server.tools.ports['object-storage']
    await storage.account(owner, true)
    await storage.createKey(who.id, 'left')
    const keys = async () => (await storage.account(owner, false))!.keys.length
    const enterByKey = async () => refusal(enter(key.use(await challenge())))
    return { who, program, keys, enterByKey, of: { domain_id: who.domain_id, id: who.id } }
  }

  it.each(['an administrator’s link', 'a required password change'])(
    'is revoked when the owner sets a new password through %s',
    async (way) => {
      const { who, program, keys, enterByKey, of } = await planted()
      if (way.includes('link')) {
        const { token } = await server.call(passwordLinks.create, { as: admin, params: of })
        await server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
      } else {
        await server.sql.query('update identity_user set must_change_password = true where id = $1', [who.id])
        const login = { username: who.name, password: PASSWORD, domain: 'alpha' }
        const asked = (await refusal(server.call(session.login, { body: login }))) as { data: { challenge: string } }
        const body = { challenge: asked.data.challenge, new_password: NEXT }
        await server.call(signInSteps.renewPassword, { body })
      }
      expect(await enterByKey()).toMatchObject({ code: 'passkey_refused' })
      for (const token of [who.token, program])
        expect(await refusal(whoami(token))).toMatchObject({ code: 'unauthorized' })
      expect(await keys()).toBe(0)
      expect(await signIn(who.name, NEXT)).toEqual(expect.any(String))
    },
  )

  it('is kept when users reset a forgotten password by email', async () => {
    const { who, enterByKey, keys } = await planted()
    const token = 'a'.repeat(43)
    await server.sql.query(
      `insert into identity_reset_link (user_id, hash, made_at, expires_at) values ($1, sha256($2::bytea), now(), now() + interval '1 h')`,
      [who.id, token],
    )
    await server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
    expect([await enterByKey(), await keys()]).toEqual(['no refusal', 1])
  })

  const inGroup = async (system_permissions: 'admin'[]) =>
    server.call(groups.create, {
      ...{ as: operator, params: { domain_id: 'default' } },
      body: { name, system_permissions },
    })
  it.each<[string, (user: { domain_id: string; id: string }) => Promise<unknown>]>([
    [
      'of the user',
      (params) => server.call(users.update, { as: operator, params, body: { system_permissions: ['admin'] } }),
    ],
    [
      'of a group that the user joins',
      async ({ domain_id, id }) => {
        const group = await inGroup(['admin'])
        await server.call(groups.addMembers, {
          ...{ as: operator, params: { domain_id, id: group.id } },
          body: { uuids: [id] },
        })
      },
    ],
    [
      'of a group that the user belongs to',
      async ({ domain_id, id }) => {
        const params = { domain_id, id: (await inGroup([])).id }
        await server.call(groups.addMembers, { as: operator, params, body: { uuids: [id] } })
        await server.call(groups.update, { as: operator, params, body: { system_permissions: ['admin'] } })
      },
    ],
  ])('is revoked by the first system permission %s', async (_, give) => {
    const { who, program, enterByKey, of } = await planted('Default')
    const { token } = await server.call(passwordLinks.create, { as: operator, params: of })
    await give(of)
    expect(await enterByKey()).toMatchObject({ code: 'passkey_refused' })
    for (const one of [who.token, program]) expect(await refusal(whoami(one))).toMatchObject({ code: 'unauthorized' })
    const use = server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
    expect(await refusal(use)).toMatchObject({ code: 'not_found' })
  })

  it('is revoked even if the server dies right after storing a first system permission', async () => {
    const { who, program, enterByKey, of } = await planted('Default')
    const ends = vi.spyOn(server.tools.sessions, 'closeForRights').mockRejectedValue(new Error('the process ends'))
    const body = { system_permissions: ['admin' as const] }
    await refusal(server.call(users.update, { as: operator, params: of, body }))
    expect(ends).toHaveBeenCalled()
    ends.mockRestore()
    expect(await server.sql.query('select roles from identity_user where id = $1', [who.id])).toEqual([
      { roles: ['admin'] },
    ])
    expect(await enterByKey()).toMatchObject({ code: 'passkey_refused' })
    for (const one of [who.token, program]) expect(await refusal(whoami(one))).toMatchObject({ code: 'unauthorized' })
  })
})
