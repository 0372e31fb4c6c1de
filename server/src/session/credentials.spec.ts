import { randomUUID } from 'node:crypto'
import { Problem } from '@mainstay/contract/core/problems'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'
import { createConsoleTickets } from './console-tickets'
import { createSessions } from './sessions'
import type { Sessions } from './types'

const HOUR_MS = 3600 * 1000
const login = { username: 'project_member', password: PASSWORD, domain: 'alpha' }
const from = { address: '192.0.2.1', user_agent: '', browser: false, panel: 'admin' as const, request_id: 'req' }

let server: TestServer
let sessions: Sessions
let time: number
let reachable: boolean
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Makes the embedded identity engine behave like one with a cloud whose tokens are valid for two hours. */
function withCloud(identity: IdentityPort): IdentityPort {
  let given = 0
  const credential = (user: Awaited<ReturnType<IdentityPort['authenticate']>>) =>
    user && { ...user, credential: new Secret(`cloud-token-${++given}`), expires_at: new Date(time + 2 * HOUR_MS) }
  return {
    ...identity,
    async authenticate(...who) {
      if (!reachable) throw new Problem('engine_unavailable', 'The cloud cannot be reached')
      return credential(await identity.authenticate(...who))
    },
    changePassword: async (...how) => credential(await identity.changePassword(...how)),
  }
}

beforeEach(() => {
  time = Date.now()
  reachable = true
  sessions = createSessions({
    sql: server.sql,
    identity: withCloud(server.tools.identity),
    now: () => new Date(time),
  })
})

const credentialOf = async (token: string) => (await sessions.resolve(token, 'req')).scope.credential?.reveal()
const refused = { code: 'unauthorized', status: 401 }

it('the credential is available to all tokens and tickets of a session', async () => {
  const { token, signedIn } = await sessions.signIn(login, from)
  const project = server.cast.projects['alpha-one']!
  const scoped = await sessions.enterProject(signedIn, project.id)
  expect(await credentialOf(token)).toBe('cloud-token-1')
  expect(await credentialOf(scoped)).toBe('cloud-token-1')

  const tickets = createConsoleTickets(server.sql)
  const { session_id, credential_key } = await sessions.resolve(scoped, 'req')
  const forOne = { instance_id: 'one', protocol: 'serial', project_id: project.id, panel: 'admin' } as const
  const ticket = await tickets.issue({ session_id, credential_key, ...forOne })
  const redeemed = (await tickets.redeem(ticket.token))!
  expect(redeemed).toMatchObject(forOne)
  const { scope } = await sessions.resolveSession(redeemed, 'req')
  expect(scope).toMatchObject({ project_id: project.id })
  expect(scope.credential?.reveal()).toBe('cloud-token-1')
})

it('neither the credential nor its key can be read from the database', async () => {
  const { token, signedIn } = await sessions.signIn(login, from)
  const everything = (
    await Promise.all(
      ['session', 'token', 'console_ticket', 'job', 'resource', 'private_record', 'audit'].map((table) =>
        server.sql.query<{ row: string }>(`select ${table}::text as row from ${table}`),
      ),
    )
  )
    .flat()
    .map(({ row }) => row.replaceAll('\\\\x', ''))
    .join('\n')
  for (const secret of ['cloud-token', signedIn.credential_key!.reveal(), token]) {
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(Buffer.from(secret).toString('hex'))
  }
})

it('the key of another session does not open the credential', async () => {
  const [mine, other] = [await sessions.signIn(login, from), await sessions.signIn(login, from)]
  await server.sql.query(
    `update token set credential_key = (select credential_key from token where session_id = $2) where session_id = $1`,
    [mine.signedIn.session_id, other.signedIn.session_id],
  )
  await expect(sessions.resolve(mine.token, 'req')).rejects.toMatchObject(refused)
  await server.sql.query(
    `update session set credential = (select credential from session where id = $2) where id = $1`,
    [other.signedIn.session_id, mine.signedIn.session_id],
  )
  await expect(sessions.resolve(other.token, 'req')).rejects.toMatchObject(refused)
})

it('the session ends when its credential expires', async () => {
  const { token } = await sessions.signIn(login, from)
  time += 2 * HOUR_MS - 1000
  expect(await credentialOf(token)).toMatch(/^cloud-token/)
  time += 2000
  await expect(sessions.resolve(token, 'req')).rejects.toMatchObject(refused)
})

it('a password change replaces the credential for all tokens of the session', async () => {
  const { signedIn, token } = await sessions.signIn({ ...login, username: 'project_admin' }, from)
  const scoped = await sessions.enterProject(signedIn, server.cast.projects['alpha-one']!.id)
  const change = { current_password: PASSWORD, new_password: 'Another horse, 2', confirm_password: 'Another horse, 2' }
  await sessions.changePassword(signedIn, change, from)
  expect(await credentialOf(token)).toBe('cloud-token-2')
  expect(await credentialOf(scoped)).toBe('cloud-token-2')
})

it('the credential never appears in jobs, logs or responses that contain the scope', async () => {
  const { signedIn } = await sessions.signIn(login, from)
  const { scope } = signedIn
  const id = randomUUID()
  await server.tools.inventory.transaction((records) =>
    records.startJob({ name: 'no.such.job', subject: { kind: 'server', id, name: 'one' }, args: {}, scope }),
  )
  const jobs = await server.sql.query<{ scope: object }>('select scope from job where subject_key = $1', [
    `server/${id}`,
  ])
  for (const kept of jobs) expect(kept.scope).not.toHaveProperty('credential')
  expect(JSON.stringify(signedIn)).not.toContain('cloud-token')
  expect(scope.credential?.toString()).toBe('[secret]')
})

it('an attempt does not count as a failure while the engine is unavailable', async () => {
  reachable = false
  const someone = { ...login, username: 'other_member', domain: 'beta' }
  for (let count = 0; count < 8; count += 1)
    await expect(sessions.signIn(someone, from)).rejects.toMatchObject({ code: 'engine_unavailable', status: 503 })
  reachable = true
  await expect(sessions.signIn(someone, from)).resolves.toMatchObject({ signedIn: { user: { name: 'other_member' } } })
})

it('there is no credential if the engine has no cloud', async () => {
  const token = await server.signIn('project-member')
  const { scope, credential_key } = await server.tools.sessions.resolve(token, 'req')
  expect({ credential: scope.credential, credential_key }).toEqual({ credential: null, credential_key: null })
})
