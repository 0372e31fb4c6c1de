import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from './commands'
import { CommandLineClient, keepCookies, type CookieJar } from './client'
import { PASSWORD } from '../personas'
import { startServer, type TestServer } from '../start-server'

let server: TestServer
beforeAll(async () => void (server = await startServer()))
afterAll(() => server.close())

// per user: the cookies on disk, and the values kept from earlier commands
const jars = { operator: new Map() as CookieJar, member: new Map() as CookieJar }
const kept = new Map<string, unknown>()

const signsIn = (as: 'operator' | 'member') => {
  const { user, domain, project } = server.cast.people[as === 'operator' ? 'superuser' : 'project-member']
  return { username: user.name, password: PASSWORD, domain: domain.name, project: project?.name ?? null }
}

describe('the public command-line client', () => {
  it.each(commands)('receives the expected responses: $command', async ({ as, exchanges }) => {
    const client = new CommandLineClient(as === 'operator' ? server.adminUrl : server.url, jars[as], kept)
    await client.begin(signsIn(as))
    for (const exchange of exchanges) await client.run(exchange)
  })

  it('signs in once and then uses its cookie', () => {
    expect([...jars.operator.keys(), ...jars.member.keys()]).toEqual(['session', 'session'])
  })
})

describe('its cookie jar', () => {
  it('drops cookies that have expired or have no expiry', () => {
    const jar: CookieJar = new Map()
    keepCookies(jar, new Headers([['set-cookie', 'session=one; Max-Age=60; Path=/']]))
    expect(jar.get('session')?.value).toBe('one')
    keepCookies(jar, new Headers([['set-cookie', 'session=two; Path=/']]))
    expect(jar.size).toBe(0)
  })
})
