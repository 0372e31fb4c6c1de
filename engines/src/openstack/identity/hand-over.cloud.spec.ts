import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { handOver, LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cloudEnvironment } from '../../../../server/src/testing/cloud-server'
import type { Personas } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { cloudAccess } from '../testing/cloud-access'
import { signInPlainly, type PlainClient } from '../testing/plain-client'
import { fixturePrefix } from '../testing/cloud-fixture'

/*
 * Requires dev/openstack, whose Keystone has the identity provider `company` and trusts the address below. A test
 * cannot sign in through the identity providers of other clouds.
 */
const PROVIDER = 'company'
const OURS = 'http://console.mainstay.test'
const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }

let admin: PlainClient
let server: TestServer
beforeAll(async () => {
  admin = await signInPlainly(cloudAccess(process.env))
  server = await startServer({
    cast: nobody,
    environment: { ...cloudEnvironment(), MAINSTAY_PROXIES: '127.0.0.1', MAINSTAY_WORLD: '', MAINSTAY_HYPERVISOR: '' },
  })
})
afterAll(() => server?.close())
// deliberate failures would delay later sign-ins
beforeEach(() => server.sql.query('delete from sign_in_failure'))

const prefix = `${fixturePrefix}${randomBytes(3).toString('hex')}`
const makeKey = (as: { token: string }, name = `${prefix}-key-${randomBytes(2).toString('hex')}`) =>
  server.call(sshKeys.generate, { as, body: { name, type: 'ed25519' } })

const access = (() => {
  try {
    return cloudAccess(process.env)
  } catch {
    return null
  }
})()
const hasProvider =
  access !== null &&
  (
    await (
      await signInPlainly(access)
    ).list<{ id: string }>('identity', '/OS-FEDERATION/identity_providers', 'identity_providers')
  ).some(({ id }) => id === PROVIDER)

describe.skipIf(!hasProvider)('sign-in through the identity provider of a real cloud', () => {
  /**
   * Acts like a browser: starts the sign-in, signs in at the provider, and returns the form in the cloud's response.
   */
  async function signInThere(name: string) {
    const begun = await server.fetch(handOver.begin, {
      params: { id: PROVIDER },
      headers: { origin: OURS, 'x-forwarded-host': new URL(OURS).host },
    })
    const { address } = (await begun.json()) as { address: string }
    const page = await fetch(address, {
      headers: { authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}` },
    })
    const text = await page.text()
    return {
      cookie: begun.headers.getSetCookie()[0]!.split(';')[0]!,
      origin: new URL(address).origin,
      action: / action="([^"]*)"/.exec(text)?.[1],
      token: / name="token" value="([^"]*)"/.exec(text)?.[1] ?? '',
    }
  }
  async function land({ origin, token }: { origin: string; token: string }): Promise<string> {
    const landed = await fetch(`${server.url}${LANDING_PATH}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'test' },
      body: new URLSearchParams({ token }).toString(),
    })
    return landed.headers.get('location')!
  }
  const enter = (path: string, cookie: string) =>
    fetch(`${server.url}${path}`, { redirect: 'manual', headers: { cookie, 'user-agent': 'test' } })
  async function comeIn(name: string) {
    const there = await signInThere(name)
    const entered = await enter(await land(there), there.cookie)
    expect(entered.headers.get('location')).toBe('/auth/success')
    const cookies = entered.headers.getSetCookie()
    const [token] = cookies.flatMap((line) => /^(?:__Host-)?session[\w-]*=([^;]+)/.exec(line)?.[1] ?? [])
    return { token: token! }
  }

  it('lists the identity provider for sign-in', async () => {
    const { data } = await server.call(handOver.providers, { query: { domain: 'Default' } })
    expect(data).toContainEqual({ id: PROVIDER, name: 'The company', domain_name: 'Default' })
    expect((await server.call(handOver.providers, { query: { domain: 'nowhere' } })).data).toEqual([])
  })

  it('signs a user in through the provider and the form from the cloud, with the roles of their groups', async () => {
    const there = await signInThere('fay')
    expect(there.action).toBe(`${OURS}${LANDING_PATH}`)
    const as = await comeIn('fay')
    const user = await server.call(session.whoami, { as })
    expect(user).toMatchObject({ name: 'fay', domain_name: 'Default', external_provider: PROVIDER })
    const { data } = await server.call(session.projects, { as })
    expect(data.map(({ name }) => name)).toEqual(['demo'])
    const scoped = await server.call(session.enterProject, { as, params: { id: data[0]!.id } })
    const key = await makeKey(scoped)
    expect(key).toMatchObject({ user_id: user.id })
    await server.call(sshKeys.delete, { as: scoped, params: { id: key.id } })
  })

  it('signs in a user who has no roles and no project', async () => {
    const as = await comeIn('stranger')
    expect((await server.call(session.whoami, { as })).roles).toEqual([])
    expect((await server.call(session.projects, { as })).data).toEqual([])
  })

  it('refuses a hand-over to an address that the cloud does not trust', async () => {
    const headers = { origin: 'http://elsewhere.test', 'x-forwarded-host': 'elsewhere.test' }
    const { address } = await server.call(handOver.begin, { params: { id: PROVIDER }, headers })
    const authorization = `Basic ${Buffer.from('fay:fay').toString('base64')}`
    expect((await fetch(address, { headers: { authorization } })).status).toBe(401)
  })

  it('accepts each hand-over only once, and only with an unscoped token from that provider', async () => {
    const there = await signInThere('fay')
    const on = await land(there)
    expect((await enter(on, there.cookie)).headers.get('location')).toBe('/auth/success')
    expect((await enter(on, there.cookie)).headers.get('location')).toContain('/auth/failed?reason=stale')
    const other = async (token: string) =>
      (await enter(await land({ ...there, token }), there.cookie)).headers.get('location')
    expect(await other(admin.token)).toContain('/auth/failed?reason=refused')
    const scoped = await fetch(`${there.origin}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: {
          identity: { methods: ['token'], token: { id: there.token } },
          scope: { project: { name: 'demo', domain: { name: 'Default' } } },
        },
      }),
    })
    expect(await other(scoped.headers.get('x-subject-token')!)).toContain('/auth/failed?reason=refused')
    expect(await other(there.token)).toBe('/auth/success')
    // a revoked token is refused
    await fetch(`${there.origin}/v3/auth/tokens`, {
      method: 'DELETE',
      headers: { 'x-auth-token': there.token, 'x-subject-token': there.token },
    })
    expect(await other(there.token)).toContain('/auth/failed?reason=refused')
  })
})

describe('application credentials in a real cloud', () => {
  const password = randomBytes(12).toString('base64url')
  let owner: PlainClient
  let project: { id: string; name: string }
  beforeAll(async () => {
    const made = async (kind: 'project' | 'user', draft: object) =>
      (
        await admin.call<Record<string, { id: string; name: string }>>('identity', 'POST', `/${kind}s`, {
          [kind]: { name: `${prefix}-programs`, domain_id: 'default', ...draft },
        })
      )[kind]!
    project = await made('project', {})
    const user = await made('user', { password })
    for (const role of ['member', 'reader', 'admin']) {
      const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${role}`)
      await admin.call('identity', 'PUT', `/projects/${project.id}/users/${user.id}/roles/${roles[0]!.id}`)
    }
    const { authUrl, region } = cloudAccess(process.env)
    const place = { userDomain: 'Default', projectName: project.name, projectDomain: 'Default' }
    owner = await signInPlainly({ authUrl, region, username: user.name, password, ...place })
  })
  afterAll(async () => {
    if (!owner) return
    await admin.call('identity', 'DELETE', `/users/${owner.userId}`)
    await admin.call('identity', 'DELETE', `/projects/${owner.projectId}`)
  })

  const make = async (draft: object) =>
    (
      await owner.call<{ application_credential: { id: string; secret: string } }>(
        'identity',
        'POST',
        `/users/${owner.userId}/application_credentials`,
        { application_credential: draft },
      )
    ).application_credential
  const signIn = (body: object) => server.call(session.login, { body })

  it('signs in to the project and acts there with the roles of the credential', async () => {
    const { id, secret } = await make({ name: 'ci', roles: [{ name: 'member' }] })
    const byId = await signIn({ application_credential: { id, secret } })
    expect(byId).toMatchObject({ id: owner.userId, project_id: project.id, roles: ['project_member'], token: null })
    const named = { username: `${prefix}-programs`, domain: 'Default', application_credential: { name: 'ci', secret } }
    expect(await signIn(named)).toMatchObject({ project_id: project.id })
    const as = { token: byId.scoped_token! }
    const { scope } = await server.call(session.meta, { as })
    expect(scope).toMatchObject({ kind: 'project', project_id: project.id })
    const key = await makeKey(as)
    expect(key).toMatchObject({ user_id: owner.userId })
    await server.call(sshKeys.delete, { as, params: { id: key.id } })
    await expect(server.call(session.enterProject, { as, params: { id: admin.projectId } })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await owner.call('identity', 'DELETE', `/users/${owner.userId}/application_credentials/${id}`)
    await expect(signIn({ application_credential: { id, secret } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
  })

  it('refuses a wrong secret, and a credential with access rules, which the index cannot enforce', async () => {
    const { id } = await make({ name: 'wrong', roles: [{ name: 'member' }] })
    await expect(signIn({ application_credential: { id, secret: 'wrong' } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
    const access_rules = [{ service: 'compute', method: 'GET', path: '/v2.1/servers' }]
    const limited = await make({ name: 'limited', access_rules })
    await expect(signIn({ application_credential: { id: limited.id, secret: limited.secret } })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})
