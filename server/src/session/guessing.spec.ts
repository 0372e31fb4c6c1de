import { session } from '@mainstay/contract/identity/session'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD } from '../testing/personas'
import { keepLocked } from '../testing/sign-in/keep-locked'
import { startServer, type TestServer } from '../testing/start-server'
import { waitAfter } from './attempts'
import { networkOf } from './known-sources'
import { proofQueueLimits, type ProofQueueLimits } from './proof-queue'
import { createSessions } from './sessions'
import type { Sessions } from './types'
import { makeToken } from './tokens'

let server: TestServer
let time: number
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  time = Date.parse('2026-01-01T00:00:00Z')
  await server.sql.query('delete from sign_in_failure')
  await server.sql.query('delete from sign_in_source')
})

/** Sessions with their own state and a clock that is advanced only by the test. */
const sessionsOf = (identity: IdentityPort = server.tools.identity, queue: ProofQueueLimits = proofQueueLimits) =>
  createSessions({ sql: server.sql, identity, queue, now: () => new Date(time) })

const seconds = (count: number) => void (time += count * 1000)
const at = (address: string, device: string | null = null) => ({
  ...{ address, device, user_agent: '', browser: device !== null, panel: 'admin' as const, request_id: 'req' },
})
interface Name {
  username: string
  domain?: string
}
const member: Name = { username: 'project_member', domain: 'alpha' }
const admin: Name = { username: 'admin' }

/** Outcome of a sign-in: 'in', or the error code. */
const tried = (sessions: Sessions, name: Name, password: string, from: ReturnType<typeof at>): Promise<string> =>
  sessions.signIn({ ...name, password }, from).then(
    () => 'in',
    (error: { code: string }) => error.code,
  )
const guess = (sessions: Sessions, name: Name, from: ReturnType<typeof at>) => tried(sessions, name, 'a guess', from)

const counted = (outcomes: string[]) =>
  Object.fromEntries([...new Set(outcomes)].map((one) => [one, outcomes.filter((it) => it === one).length]))

describe('the wait after failed sign-ins', () => {
  it('grows with the number of failures, up to a minute', () => {
    expect([0, 4, 5, 6, 8, 11, 12, 1000].map((failures) => waitAfter(failures, 5))).toEqual([0, 0, 1, 2, 8, 60, 60, 60])
  })

  it('applies to the user at this address and then expires', async () => {
    const sessions = sessionsOf()
    const here = at('192.0.2.1')
    for (let count = 0; count < 5; count += 1) expect(await guess(sessions, member, here)).toBe('wrong_credentials')
    await expect(sessions.signIn({ ...member, password: PASSWORD }, here)).rejects.toMatchObject({
      code: 'too_many_attempts',
      data: { retry_after: 1 },
    })
    expect(await guess(sessions, { ...member, username: 'PROJECT_MEMBER' }, here)).toBe('too_many_attempts')
    expect(await tried(sessions, { ...member, username: 'project_admin' }, PASSWORD, here)).toBe('in')
    expect(await tried(sessions, member, PASSWORD, at('192.0.2.2'))).toBe('in')
    seconds(1)
    expect(await guess(sessions, member, here)).toBe('wrong_credentials')
    seconds(1)
    expect(await guess(sessions, member, here)).toBe('too_many_attempts')
    seconds(1)
    expect(await tried(sessions, member, PASSWORD, here)).toBe('in')
    for (let count = 0; count < 5; count += 1) expect(await guess(sessions, member, here)).toBe('wrong_credentials')
  })

  it('gets shorter over time, as failures are forgotten one by one', async () => {
    const sessions = sessionsOf()
    for (let count = 0; count < 60; count += 1) {
      await guess(sessions, member, at('192.0.2.1'))
      seconds(61)
    }
    expect(await guess(sessions, member, at('192.0.2.1'))).toBe('wrong_credentials')
    expect(await guess(sessions, member, at('192.0.2.1'))).toBe('too_many_attempts')
    seconds(40 * 60)
    for (let count = 0; count < 5; count += 1)
      expect(await guess(sessions, member, at('192.0.2.1'))).toBe('wrong_credentials')
  })

  it('does not get longer if the clock is set back or forward by an hour', async () => {
    for (const jump of [-3600, 3600]) {
      const sessions = sessionsOf()
      for (let count = 0; count < 12; count += 1) {
        await guess(sessions, member, at('192.0.2.1'))
        seconds(60)
      }
      seconds(jump)
      expect(await tried(sessions, member, PASSWORD, at('192.0.2.1'))).toBe('in')
    }
  })

  it('is the same for unknown users', async () => {
    const sessions = sessionsOf()
    const outcomes = async (name: Name) => {
      const list: string[] = []
      for (let count = 0; count < 30; count += 1) list.push(await guess(sessions, name, at(`192.0.2.${count % 5}`)))
      return list
    }
    const unknown = await outcomes({ username: 'nobody_here', domain: 'alpha' })
    await server.sql.query('delete from sign_in_failure')
    expect(await outcomes(member)).toEqual(unknown)
    expect(counted(unknown)).toEqual({ wrong_credentials: 20, too_many_attempts: 10 })
  })
})

describe('the owner of an account', () => {
  it.each([
    ['a member', member],
    ['the administrator', admin],
  ])('is never refused while others guess for ten minutes: %s', async (_, name) => {
    const sessions = sessionsOf()
    const home = at('192.0.2.77')
    expect(await tried(sessions, name, PASSWORD, home)).toBe('in')
    const [guesses, own]: [string[], string[]] = [[], []]
    for (let second = 0; second < 600; second += 2) {
      for (const one of [0, 1]) guesses.push(await guess(sessions, name, at(`198.51.100.${(second + one) % 200}`)))
      if (second % 20 === 0) own.push(await tried(sessions, name, PASSWORD, home))
      seconds(2)
    }
    expect(counted(own)).toEqual({ in: 30 })
    // twenty without a wait, then as many as from a single address
    expect(counted(guesses)['wrong_credentials']).toBeLessThanOrEqual(20 + 16)
    expect(counted(guesses)['in']).toBeUndefined()
  })

  it('is recognized by their browser while others guess at the same address', async () => {
    const sessions = sessionsOf()
    const mine = at('192.0.2.77', makeToken())
    expect(await tried(sessions, member, PASSWORD, mine)).toBe('in')
    for (let count = 0; count < 30; count += 1) await guess(sessions, member, at('192.0.2.77'))
    expect(await tried(sessions, member, PASSWORD, at('192.0.2.77', makeToken()))).toBe('too_many_attempts')
    expect(await tried(sessions, member, PASSWORD, mine)).toBe('in')
    expect(await tried(sessions, member, PASSWORD, { ...mine, address: '203.0.113.9' })).toBe('in')
  })

  it('is no longer recognized at an address after 90 days', async () => {
    const sessions = sessionsOf()
    const home = at('192.0.2.77')
    await tried(sessions, member, PASSWORD, home)
    const flood = async () => {
      for (let count = 0; count < 21; count += 1) await guess(sessions, member, at(`198.51.100.${count}`))
    }
    await flood()
    expect(await tried(sessions, member, PASSWORD, home)).toBe('in')
    seconds(91 * 24 * 3600)
    await flood()
    expect(await tried(sessions, member, PASSWORD, home)).toBe('too_many_attempts')
  })

  it('can sign in at a shared address after mistyping the password', async () => {
    const sessions = sessionsOf()
    const office = at('192.0.2.5')
    for (let count = 0; count < 5; count += 1) await guess(sessions, member, office)
    seconds(1)
    const outcomes: string[] = []
    for (let count = 0; count < 100; count += 1) {
      const name = count % 2 === 0 ? member : { ...member, username: 'project_admin' }
      outcomes.push(await tried(sessions, name, PASSWORD, office))
    }
    expect(counted(outcomes)).toEqual({ in: 100 })
  })
})

describe('an address', () => {
  it('has to wait after guesses for many usernames, except for users who are known there', async () => {
    const sessions = sessionsOf()
    const office = at('192.0.2.5')
    await tried(sessions, member, PASSWORD, office)
    for (let count = 0; count < 20; count += 1) await guess(sessions, { ...member, username: `name${count}` }, office)
    expect(await tried(sessions, { ...member, username: 'project_admin' }, PASSWORD, office)).toBe('too_many_attempts')
    expect(await tried(sessions, member, PASSWORD, office)).toBe('in')
    expect(await tried(sessions, { ...member, username: 'project_admin' }, PASSWORD, at('192.0.2.6'))).toBe('in')
  })

  it('is counted by its /64 network in the case of IPv6', () => {
    expect(
      ['2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::9', '2001:db8::5', '::1', '192.0.2.1', '::ffff:192.0.2.1'].map(networkOf),
    ).toEqual(['2001:db8:1:2', '2001:db8:1:2', '2001:db8:0:0', '0:0:0:0', '192.0.2.1', '192.0.2.1'])
  })
})

describe('concurrent sign-ins', () => {
  const login = (username: string, password: string) =>
    server.fetch(session.login, { body: { username, password, domain: 'alpha' } })
  const statuses = async (answers: Promise<Response>[]) =>
    counted((await Promise.all(answers)).map(({ status }) => String(status)))

  it('succeed for twenty users behind one address if the passwords are correct', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `office_${number}`)
    for (const name of names)
      await server.tools.identity.createUser({ name, domain_id: server.cast.domains['alpha']!.id, password: PASSWORD })
    expect(await statuses(names.map((name) => login(name, PASSWORD)))).toEqual({ 200: 20 })
    expect(await statuses(names.map(() => login('project_member', PASSWORD)))).toEqual({ 200: 20 })
  })

  it('check only a few of many guesses', async () => {
    let looks = 0
    const sessions = sessionsOf({
      ...server.tools.identity,
      async authenticate() {
        looks += 1
        return null
      },
    })
    const guesses = Array.from({ length: 40 }, () => guess(sessions, member, at('192.0.2.9')))
    expect(counted(await Promise.all(guesses))).toMatchObject({ wrong_credentials: looks })
    expect(looks).toBeLessThan(5 + proofQueueLimits.atOnce)
  })

  it(
    'all get a 200, 401, 429 or 503 response even if there are 500, and do not block other requests',
    { tags: 'all' },
    async () => {
      const waits: number[] = []
      const waves = Array.from({ length: 500 }, async (_, number) => {
        const answer = await (number % 2 === 0
          ? login('project_member', PASSWORD)
          : login('project_admin', `guess ${number}`))
        if (answer.status === 503 || answer.status === 429) waits.push(Number(answer.headers.get('retry-after')))
        return answer
      })
      // this request is sent after all sign-ins but must get a response before the last of them
      const later = Promise.all(waves).then(() => 'all signed in')
      expect(await Promise.race([later, fetch(`${server.url}/health`).then(({ status }) => status)])).toBe(200)
      const outcomes = await statuses(waves)
      expect(Object.keys(outcomes).filter((status) => !['200', '401', '429', '503'].includes(status))).toEqual([])
      expect(outcomes['200']).toBeGreaterThan(0)
      expect(waits.every((wait) => wait >= 1 && wait <= 60)).toBe(true)
    },
  )

  it('do not count as failures if they are refused because the server is busy', async () => {
    let letIn!: () => void
    let arrived!: () => void
    const held = new Promise<void>((resolve) => (letIn = resolve))
    const begun = new Promise<void>((resolve) => (arrived = resolve))
    const identity = server.tools.identity
    const sessions = sessionsOf(
      {
        ...identity,
        async authenticate(...who) {
          arrived()
          await held
          return identity.authenticate(...who)
        },
      },
      { ...proofQueueLimits, atOnce: 1, waiting: 0, strangers: 0 },
    )
    const first = tried(sessions, member, PASSWORD, at('192.0.2.1'))
    await begun
    for (let count = 0; count < 10; count += 1)
      expect(await guess(sessions, member, at('192.0.2.2'))).toBe('server_busy')
    letIn()
    expect(await first).toBe('in')
    expect(await server.sql.query('select key from sign_in_failure')).toEqual([])
  })
})

describe('over HTTP', () => {
  it('returns 429 with Retry-After', async () => {
    const body = { username: 'nobody', password: 'wrong' }
    for (let count = 0; count < 5; count += 1) expect((await server.fetch(session.login, { body })).status).toBe(401)
    // the wait grows, so even a slow machine reaches it
    let response = await server.fetch(session.login, { body })
    for (let count = 0; count < 5 && response.status === 401; count += 1)
      response = await server.fetch(session.login, { body })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it("counts failures for the caller's address, not for that of the load balancer", async () => {
    const behind = await startServer({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
    const from = (address: string) =>
      behind.fetch(session.login, {
        body: { username: 'nobody', password: 'wrong' },
        headers: { 'x-forwarded-for': address },
      })
    for (let count = 0; count < 5; count += 1) await from('192.0.2.1')
    await keepLocked(behind)
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.2')).status).toBe(401)
    await behind.close()
  })

  it('sets a cookie that identifies the browser but does not authenticate anyone', async () => {
    const headers = { origin: server.url }
    const body = { username: 'project_member', password: PASSWORD, domain: 'alpha' }
    const answer = await server.fetch(session.login, { body, headers })
    const device = answer.headers.getSetCookie().find((line) => line.startsWith('device='))!
    expect(device).toMatch(/^device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/)
    const cookie = device.split(';')[0]!
    const again = await server.fetch(session.login, { body, headers: { ...headers, cookie } })
    expect(again.headers.getSetCookie().join()).toContain(cookie)
    await expect(server.call(session.whoami, { headers: { cookie } })).rejects.toMatchObject({ status: 401 })
    const program = await server.fetch(session.login, { body })
    expect(program.headers.getSetCookie().join()).not.toContain('device=')
  })
})
