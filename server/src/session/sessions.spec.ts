import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../testing/personas'
import { testDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { startServer, type TestServer } from '../testing/start-server'
import { openStore } from '../store/store'
import { createSessions } from './sessions'
import { sqlOf } from './sql'
import { hashToken } from './tokens'

const NEXT = 'Another horse, 2'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const wrong = (username: string) =>
  server
    .call(session.login, { body: { username, password: 'wrong', domain: 'alpha' } })
    .catch((error: unknown) => error)

describe('signing in', () => {
  it('returns the user with an unscoped token and an HttpOnly cookie [CA-016] [UI-049] [EN-001]', async () => {
    const response = await server.fetch(session.login, {
      body: { username: 'project_member', password: PASSWORD, domain: 'alpha' },
    })
    const user = (await response.json()) as Record<string, unknown>
    expect(response.status).toBe(200)
    expect(user).toMatchObject({
      name: 'project_member',
      project_id: null,
      domain_id: server.cast.domains['alpha']!.id,
      roles: ['project_member'],
      is_superuser: false,
      scoped_token: null,
      external_provider: null,
    })
    const cookie = response.headers.get('set-cookie')!
    expect(cookie).toMatch(/^session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    expect(cookie).toContain(String(user['token']))
  })

  it('uses the default domain if none is given', async () => {
    const user = await server.call(session.login, { body: { username: 'admin', password: PASSWORD } })
    expect(user).toMatchObject({ name: 'admin', domain_id: 'default', is_superuser: true })
  })

  it('accepts the name and the ID of the default domain', async () => {
    for (const domain of ['Default', 'default', '']) {
      const user = await server.call(session.login, { body: { username: 'admin', password: PASSWORD, domain } })
      expect(user).toMatchObject({ domain_id: 'default', domain_name: 'Default' })
    }
    const { data } = await server.call(session.projects, { as: { token: await server.login('superuser') } })
    expect(data.map((it) => it.domain_name)).toContain('Default')
  })

  it('returns the same error for an unknown user as for a wrong password', async () => {
    const [unknown, known] = [await wrong('nobody_here'), await wrong('project_admin')]
    expect(unknown).toMatchObject({ code: 'wrong_credentials', status: 401 })
    expect((known as Error).message).toBe((unknown as Error).message)
  })

  it('refuses a service account in a browser but accepts it elsewhere', async () => {
    const body = { username: 'service_account', password: PASSWORD, domain: 'alpha' }
    const inBrowser = server.call(session.login, { body, headers: { origin: server.url } })
    await expect(inBrowser).rejects.toMatchObject({ code: 'forbidden' })
    await expect(server.call(session.login, { body })).resolves.toMatchObject({ name: 'service_account' })
  })
})

it('issues another token only for an unscoped token, and ends it with the session', async () => {
  const as = { token: await server.login('project-member') }
  const other = await server.call(session.anotherToken, { as })
  expect(other.token).not.toBe(as.token)
  const [one, two] = await Promise.all([as, other].map((it) => server.call(session.whoami, { as: it })))
  expect(two).toEqual(one)
  const scoped = await server.call(session.enterProject, { as, params: { id: server.cast.projects['alpha-one']!.id } })
  await expect(server.call(session.anotherToken, { as: scoped })).rejects.toMatchObject({ code: 'forbidden' })
  await server.call(session.logout, { as })
  await expect(server.call(session.whoami, { as: other })).rejects.toMatchObject({ code: 'unauthorized' })
})

describe('tokens', () => {
  it.each([
    ['no token', {}],
    ['a forged token', { 'x-auth-token': 'A'.repeat(43) }],
    ['garbage', { 'x-auth-token': "' or 1=1 --" }],
    ['a very long token', { 'x-auth-token': 'A'.repeat(4000) }],
    ['a forged cookie', { cookie: `session=${'A'.repeat(43)}` }],
  ])('are refused with 401: %s', async (_, headers) => {
    await expect(server.call(session.whoami, { headers })).rejects.toMatchObject({
      status: 401,
    })
  })

  it('identify the user, and the header takes precedence over the cookie [CA-018]', async () => {
    const [admin, member] = [await server.login('superuser'), await server.login('project-member')]
    const response = await fetch(`${server.url}/api/v2/accounts/whoami/`, {
      headers: { 'x-auth-token': member, cookie: `other=1; session=${admin}` },
    })
    expect([response.status, await response.json()]).toMatchObject([200, { name: 'project_member' }])
    const byCookie = await server.call(session.whoami, { headers: { cookie: `other=1; session=${admin}` } })
    expect(byCookie.name).toBe('admin')
  })

  it('become invalid with the session, including project tokens [CA-017]', async () => {
    const token = await server.login('project-admin')
    const id = server.cast.projects['alpha-one']!.id
    const scoped = await server.call(session.enterProject, { as: { token }, params: { id } })
    expect((await server.call(session.whoami, { as: scoped })).name).toBe('project_admin')
    const response = await server.fetch(session.logout, { as: { token } })
    expect(response.status).toBe(204)
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    for (const as of [{ token }, scoped])
      await expect(server.call(session.whoami, { as })).rejects.toMatchObject({ status: 401 })
  })

  it('belong to at most 200 sessions per user, and a new session replaces the least recently used one', async () => {
    const user = await server.tools.identity.createUser({
      name: 'many_sessions',
      domain_id: server.cast.domains['alpha']!.id,
      password: PASSWORD,
    })
    const body = { username: user.name, password: PASSWORD, domain: 'alpha' }
    const [first, second] = [
      (await server.call(session.login, { body })).token!,
      (await server.call(session.login, { body })).token!,
    ]
    await server.sql.query(
      `insert into session (id, user_id, address, user_agent, created_at, last_used_at)
        select 'many-' || n, $1, '::1', '', now(), now() from generate_series(1, 198) n`,
      [user.id],
    )
    await server.sql.query(
      `update session set last_used_at = now() - interval '1 hour' where id = (select session_id from token where hash = $1)`,
      [hashToken(second)],
    )
    const third = (await server.call(session.login, { body })).token!
    await expect(server.call(session.whoami, { as: { token: second } })).rejects.toMatchObject({ status: 401 })
    for (const token of [first, third])
      await expect(server.call(session.whoami, { as: { token } })).resolves.toMatchObject({ name: user.name })
  })

  it('expire after inactivity, and at the latest after the absolute lifetime', async () => {
    const database = await testDatabase()
    const store = await openStore({ databaseUrl: database.url, dataFolder: server.folder, log: silentLogger })
    let time = Date.now()
    const sessions = createSessions({
      sql: sqlOf(store.db),
      identity: server.tools.identity,
      limits: { absoluteSeconds: 100 * 60, idleSeconds: 30 * 60 },
      now: () => new Date(time),
    })
    const from = { address: '::1', user_agent: '', browser: false, panel: 'admin' as const, request_id: 'req' }
    const minutes = (count: number) => (time += count * 60_000)
    const login = { username: 'project_member', password: PASSWORD, domain: 'alpha' }

    const idle = await sessions.signIn(login, from)
    minutes(31)
    await expect(sessions.resolve(idle.token, 'r')).rejects.toMatchObject({ code: 'unauthorized' })

    const busy = await sessions.signIn(login, from)
    for (let count = 0; count < 4; count += 1) {
      minutes(24)
      await sessions.resolve(busy.token, 'r')
    }
    minutes(5)
    await expect(sessions.resolve(busy.token, 'r')).rejects.toMatchObject({ code: 'unauthorized' })
    await store.close()
    await database.drop()
  })

  it('are stored only as hashes', async () => {
    const token = await server.login('superuser')
    const rows = await server.sql.query<{ hash: Buffer }>('select hash from token')
    expect(rows.every(({ hash }) => hash.length === 32)).toBe(true)
    expect(rows.some(({ hash }) => hash.toString('base64url') === token)).toBe(false)
  })
})

describe('changing the password', () => {
  it('validates all fields [VA-001] [VA-002] [VA-003] [VA-005]', async () => {
    const token = await server.signIn('project-member')
    const change = (body: object) =>
      server.call(session.changePassword, { as: { token }, body: body as never }).catch((error: unknown) => error)
    expect(await change({})).toMatchObject({
      code: 'validation',
      fields: { current_password: expect.anything(), new_password: expect.anything() },
    })
    expect(
      await change({ current_password: PASSWORD, new_password: PASSWORD, confirm_password: PASSWORD }),
    ).toMatchObject({ fields: { new_password: ['Choose a password that is different from the current one'] } })
    expect(await change({ current_password: PASSWORD, new_password: 'a', confirm_password: 'b' })).toMatchObject({
      fields: { confirm_password: ['The passwords do not match'] },
    })
    expect(await change({ current_password: 'no', new_password: NEXT, confirm_password: NEXT })).toMatchObject({
      code: 'current_password_wrong',
      fields: { current_password: expect.anything() },
    })
  })

  it('names the rule that the new password violates [VA-043] [VA-044]', async () => {
    const token = await server.signIn('project-member')
    const fault = (new_password: string) =>
      server.call(session.changePassword, { as: { token }, body: { current_password: PASSWORD, new_password } }).then(
        () => null,
        (error: { fields: Record<string, string[]> }) => error.fields['new_password'],
      )
    expect(await fault('a')).toEqual([expect.stringContaining('at least 12 characters')])
    expect(await fault('12345678')).toEqual([expect.stringContaining('at least 12 characters')])
    expect(await fault('small letters 1')).toEqual([expect.stringContaining('Add an uppercase letter')])
    expect(await fault('sixteen letters only')).toEqual(['Add a digit'])
    expect(await fault('P@ssw0rd-1234')).toEqual([expect.stringContaining('too similar')])
    expect(await fault('1qaz2wsx3edc4rfv')).toEqual([expect.stringContaining('too common')])
    expect(await fault('Project_Member-1')).toEqual([expect.stringContaining('too similar')])
  })

  it('does not require programs to confirm the password', async () => {
    const token = await server.login('other-member')
    const change = (current_password: string, new_password: string) =>
      server.call(session.changePassword, { as: { token }, body: { current_password, new_password } })
    await change(PASSWORD, NEXT)
    await change(NEXT, PASSWORD)
  })

  it('does not affect existing weak passwords', async () => {
    const weak = { domain_id: server.cast.domains['alpha']!.id, password: 'weak', roles: ['domain_admin' as const] }
    const { name } = await server.tools.identity.createUser({ ...weak, name: 'from_before' })
    const body = { username: name, password: 'weak', domain: 'alpha' }
    await expect(server.call(session.login, { body })).resolves.toMatchObject({ name })
  })

  it('ends other sessions but keeps the current one [CA-021] [CA-022] [EN-016]', async () => {
    const user = await server.tools.identity.createUser({
      name: 'changer',
      domain_id: server.cast.domains['alpha']!.id,
      password: PASSWORD,
      roles: ['domain_admin'],
    })
    const login = async (password: string) =>
      (await server.call(session.login, { body: { username: user.name, password, domain: 'alpha' } })).token!
    const [mine, other] = [await login(PASSWORD), await login(PASSWORD)]
    const body = { current_password: PASSWORD, new_password: NEXT, confirm_password: NEXT }
    for (const wrong of [{ current_password: '' }, { new_password: 'short' }, { confirm_password: PASSWORD }])
      await expect(
        server.call(session.changePassword, { as: { token: mine }, body: { ...body, ...wrong } }),
        Object.keys(wrong)[0],
      ).rejects.toMatchObject({ fields: { [Object.keys(wrong)[0]!]: expect.anything() } })
    await server.call(session.changePassword, { as: { token: mine }, body })
    await expect(server.call(session.whoami, { as: { token: mine } })).resolves.toMatchObject({ name: 'changer' })
    await expect(server.call(session.whoami, { as: { token: other } })).rejects.toMatchObject({ status: 401 })
    await expect(login(NEXT)).resolves.toBeTruthy()
  })
})
