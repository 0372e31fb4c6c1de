import { volumes } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import { account, MOST_API_TOKENS, type ApiTokenDraft } from '@mainstay/contract/identity/account'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessions } from '../../session/sessions'
import { hashToken } from '../../session/tokens'
import { PASSWORD } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const day = 24 * 3600_000
const ahead = (days: number) => new Date(Date.now() + days * day).toISOString()
const draft = (more: Partial<ApiTokenDraft> = {}) => ({ name: 'script', expires_at: ahead(30), ...more })

/** Creates a user in domain alpha for a single test and signs in as that user. */
let count = 0
async function somebody() {
  const name = `own_${String(++count)}`
  const project = server.cast.projects['alpha-one']!.id
  const user = await server.tools.identity.createUser({
    name,
    domain_id: server.cast.domains['alpha']!.id,
    password: PASSWORD,
    assigned_projects: [{ project_id: project, role: 'project_member' }],
  })
  const signIn = async () => {
    const reply = await server.call(session.login, { body: { username: name, password: PASSWORD, domain: 'alpha' } })
    return { token: reply.token! }
  }
  return { user, project, signIn, as: await signIn() }
}
const whoami = (as: { token: string }) => server.call(session.whoami, { as })
const over = { status: 401, code: 'unauthorized' }

describe('own sessions', () => {
  it('are listed with their origin, and the current one is marked', async () => {
    const { user, as, signIn } = await somebody()
    await signIn()
    await server.sql.query(
      `update session set address = '192.0.2.7', user_agent = 'elsewhere', last_used_at = now() - interval '1 hour'
        where user_id = $1 and id <> (select session_id from token where hash = $2)`,
      [user.id, hashToken(as.token)],
    )
    const { data } = await server.call(account.sessions, { as })
    expect(data).toMatchObject([
      { is_current: true, external_provider: null },
      { is_current: false, address: '192.0.2.7', user_agent: 'elsewhere' },
    ])
    const [present, other] = data.map((it) => Date.parse(it.expires_at) - Date.now())
    expect(present! / 3600_000).toBeCloseTo(8, 1)
    expect(other! / 3600_000).toBeCloseTo(7, 1)
  })

  it('can be ended one by one, or all at once except the current one', async () => {
    const { as, signIn } = await somebody()
    const [second, third] = [await signIn(), await signIn()]
    const told = await server.call(account.sessions, { as: second })
    const id = told.data.find((it) => it.is_current)!.id
    await server.call(account.endSession, { as, params: { id } })
    await expect(whoami(second)).rejects.toMatchObject(over)
    await expect(server.call(account.endSession, { as, params: { id } })).rejects.toMatchObject({ status: 404 })
    await server.call(account.endOtherSessions, { as })
    await expect(whoami(third)).rejects.toMatchObject(over)
    expect((await server.call(account.sessions, { as })).data).toHaveLength(1)
  })

  it('cannot be ended by other users', async () => {
    const [one, other] = [await somebody(), await somebody()]
    const { id } = (await server.call(account.sessions, { as: other.as })).data[0]!
    await expect(server.call(account.endSession, { as: one.as, params: { id } })).rejects.toMatchObject({ status: 404 })
    const token = await server.call(account.createToken, { as: other.as, body: draft() })
    for (const call of [account.endSession, account.revokeToken])
      await expect(server.call(call, { as: one.as, params: { id: token.id } })).rejects.toMatchObject({ status: 404 })
    expect(await whoami(other.as)).toMatchObject({ id: other.user.id })
    expect(await whoami(token)).toMatchObject({ id: other.user.id })
  })
})

describe('an API token', () => {
  it('acts as its owner, survives sign-out and is shown only once', async () => {
    const { user, as } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft() })
    expect(made).toMatchObject({ name: 'script', project_id: null, read_only: false, last_used_at: null })
    await server.call(session.logout, { as: { token: made.token } })
    await server.call(session.logout, { as })
    expect(await whoami(made)).toMatchObject({ id: user.id })
    const again = { token: await server.login('superuser') }
    expect(JSON.stringify(await server.call(account.tokens, { as: again }))).not.toContain(made.name)
    const rows = await server.sql.query<{ all: string }>('select row_to_json(t)::text as all from token t')
    expect(rows.map((it) => it.all).join()).not.toContain(made.token)
  })

  it('shows when it was last used and disappears from the list when it is revoked', async () => {
    const { as } = await somebody()
    const { id, token } = await server.call(account.createToken, { as, body: draft() })
    await whoami({ token })
    const { data, is_available } = await server.call(account.tokens, { as })
    expect([data, is_available]).toMatchObject([[{ id, last_used_at: expect.any(String) as string }], true])
    await server.call(account.revokeToken, { as, params: { id } })
    await expect(whoami({ token })).rejects.toMatchObject(over)
    expect((await server.call(account.tokens, { as })).data).toEqual([])
  })

  it('can enter only the project that it was created for', async () => {
    const { as, project } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft({ project_id: project }) })
    expect(made).toMatchObject({ project_id: project, project_name: 'alpha-one' })
    expect(await whoami(made)).toMatchObject({ project_id: project })
    const other = server.cast.projects['alpha-two']!.id
    await expect(server.call(session.enterProject, { as: made, params: { id: other } })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const outside = server.call(account.createToken, { as, body: draft({ name: 'other', project_id: other }) })
    await expect(outside).rejects.toMatchObject({ status: 404 })
  })

  it('that is read-only cannot change anything or open a console in any project', async () => {
    const { as, project } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft({ read_only: true }) })
    const inside = await server.call(session.enterProject, { as: made, params: { id: project } })
    expect((await server.call(volumes.list, { as: inside })).data).toEqual([])
    const refused = server.call(volumes.create, { as: inside, body: { name: 'no', size: GiB } })
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' })
    const { permissions } = await server.call(session.meta, { as: inside })
    expect([...new Set(Object.values(permissions).flatMap(({ methods }) => methods))]).toEqual(['GET'])
    expect(permissions).not.toHaveProperty('compute_server_console')
  })

  it('cannot view or change its owner’s account, even if it is bound to a project', async () => {
    const { as, project } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft() })
    const inProject = await server.call(session.enterProject, { as, params: { id: project } })
    const bound = await server.call(account.createToken, { as, body: draft({ name: 'bound', project_id: project }) })
    const change = { current_password: PASSWORD, new_password: 'Another horse, 2' }
    for (const deputy of [made, inProject, bound]) {
      const calls = [
        () => server.call(account.sessions, { as: deputy }),
        () => server.call(account.tokens, { as: deputy }),
        () => server.call(account.createToken, { as: deputy, body: draft({ name: 'more' }) }),
        () => server.call(account.endOtherSessions, { as: deputy }),
        () => server.call(account.endSession, { as: deputy, params: { id: made.id } }),
        () => server.call(account.revokeToken, { as: deputy, params: { id: made.id } }),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'forbidden' })
    }
    for (const deputy of [made, bound])
      await expect(server.call(session.changePassword, { as: deputy, body: change })).rejects.toMatchObject({
        code: 'forbidden',
      })
  })

  it('is revoked when its owner’s password changes and refused while its owner is disabled', async () => {
    const { user, as } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft() })
    await server.tools.identity.setEnabled('user', user.id, false)
    await expect(whoami(made)).rejects.toMatchObject({ code: 'access_disabled' })
    await server.tools.identity.setEnabled('user', user.id, true)
    expect(await whoami(made)).toMatchObject({ id: user.id })
    const change = { current_password: PASSWORD, new_password: 'Another horse, 2' }
    await server.call(session.changePassword, { as, body: change })
    await expect(whoami(made)).rejects.toMatchObject(over)
  })

  it('stays valid until it expires, even if unused', async () => {
    const { user, as } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft({ expires_at: ahead(90) }) })
    const after = (days: number) =>
      createSessions({ sql: server.sql, identity: server.tools.identity, now: () => new Date(Date.now() + days * day) })
    await after(89).prune()
    expect(await after(89).resolve(made.token, 'r')).toMatchObject({ user: { id: user.id } })
    await expect(after(91).resolve(made.token, 'r')).rejects.toMatchObject({ code: 'unauthorized' })
    await after(93).prune()
    expect(await server.sql.query('select id from session where id = $1', [made.id])).toEqual([])
  })

  it('survives when the session limit is exceeded or other sessions are ended', async () => {
    const { user, as, signIn } = await somebody()
    const made = await server.call(account.createToken, { as, body: draft() })
    await server.sql.query(
      `insert into session (id, user_id, address, user_agent, created_at, last_used_at)
        select $1 || n, $1, '::1', '', now(), now() from generate_series(1, 200) n`,
      [user.id],
    )
    const last = await signIn()
    await server.call(account.endOtherSessions, { as: last })
    expect(await whoami(made)).toMatchObject({ id: user.id })
  })

  it.each([
    ['an expiry date in the past', { expires_at: ahead(-1) }, 'expires_at'],
    ['an expiry date too far ahead', { expires_at: ahead(367) }, 'expires_at'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name with invisible characters', { name: 'a\u202Eb' }, 'name'],
  ])('is refused with %s and an error on the field', async (_, more, field) => {
    const { as } = await somebody()
    const refused = server.call(account.createToken, { as, body: draft(more) })
    await expect(refused).rejects.toMatchObject({ status: 400, fields: { [field]: [expect.any(String)] } })
  })

  it('must have a unique name, even when two are created at once, and counts towards a limit', async () => {
    const { user, as } = await somebody()
    const twice = await Promise.allSettled(
      ['Script', 'script'].map((name) => server.call(account.createToken, { as, body: draft({ name }) })),
    )
    expect(twice.map((it) => it.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(twice.find((it) => it.status === 'rejected')!.reason).toMatchObject({ code: 'duplicate_name' })
    await server.sql.query(
      `insert into session (id, user_id, address, user_agent, created_at, last_used_at, name, expires_at)
        select $1 || n, $1, '::1', '', now(), now(), 'n' || n, now() + interval '1 day' from generate_series(2, $2::int) n`,
      [user.id, MOST_API_TOKENS],
    )
    const refused = server.call(account.createToken, { as, body: draft({ name: 'one more' }) })
    await expect(refused).rejects.toMatchObject({ code: 'conflict' })
  })
})
