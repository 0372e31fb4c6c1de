import { networkInterfaces } from 'node:os'
import { loginHosts, loginLink, loginLinks } from '@mainstay/contract/identity/login-link'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../config'
import { selfServiceOf } from '../../../self-service'
import { PASSWORD } from '../../../testing/personas'
import { startServer, type TestServer } from '../../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_HOSTS: '10.1.2.3,console.example', MAINSTAY_PORT: '8800' } })
})
afterAll(() => server.close())

/** What is answered for a server that is configured in this way. */
const linksOf = (environment: Record<string, string>) => {
  const { hostname, addresses, port } = selfServiceOf(readConfig({ MAINSTAY_TLS: 'self-signed', ...environment }))
  return loginHosts(hostname, addresses()).map((host) => loginLink(host, port, 'd1'))
}

describe('the login link of a domain', () => {
  it('has the shape {host}[:port]/login/{domainId} [VA-026]', async () => {
    const { id } = server.cast.domains['alpha']!
    const { data } = await server.call(loginLinks.list, { as: 'superuser', params: { id } })
    const link = `console.example:8800/login/${id}`
    expect(data).toEqual([{ link, address: `http://${link}` }])
    expect(loginLink('2001:db8::1', 8800, 'default')).toBe('[2001:db8::1]:8800/login/default')
  })

  it('leaves the port out when it is 80, and only then [VA-027]', () => {
    const hosts = { MAINSTAY_HOSTS: 'console.example' }
    expect(linksOf({ ...hosts, MAINSTAY_PORT: '80' })).toEqual(['console.example/login/d1'])
    for (const port of ['8800', '443', '8080'])
      expect(linksOf({ ...hosts, MAINSTAY_PORT: port })).toEqual([`console.example:${port}/login/d1`])
  })

  it('has the configured name as its host, if that is no bare IPv4 address [VA-028]', () => {
    expect(linksOf({ MAINSTAY_HOSTS: 'cloud.example', MAINSTAY_HOST: '10.0.0.7' })).toEqual([
      'cloud.example:8800/login/d1',
    ])
    expect(loginHosts('10.0.0.9', ['10.0.0.7'])).toEqual(['10.0.0.7'])
    // a name that begins like an address is a name
    expect(loginHosts('10.0.0.9.example', ['10.0.0.7'])).toEqual(['10.0.0.9.example'])
  })

  it('of a bare IPv4 address or none configured, has the addresses of the servers together, else those of this one [VA-029]', () => {
    // where all servers of an installation are reached, as by an address that moves between them
    expect(linksOf({ MAINSTAY_HOSTS: '10.0.0.9', MAINSTAY_HOST: '10.0.0.7' })).toEqual(['10.0.0.9:8800/login/d1'])
    expect(linksOf({ MAINSTAY_HOSTS: '10.0.0.9,10.1.0.9', MAINSTAY_HOST: '0.0.0.0' })).toEqual([
      '10.0.0.9:8800/login/d1',
      '10.1.0.9:8800/login/d1',
    ])
    // one alone is reached where it listens
    expect(linksOf({ MAINSTAY_HOST: '10.0.0.7' })).toEqual(['10.0.0.7:8800/login/d1'])
    const own = Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => `${address}:8800/login/d1`)
    expect(linksOf({ MAINSTAY_HOST: '0.0.0.0' })).toEqual(own.length > 0 ? own : ['127.0.0.1:8800/login/d1'])
  })

  it('is told to operators and to who administers the domain, and of another domain to nobody', async () => {
    const { id } = server.cast.domains['alpha']!
    for (const as of ['viewer', 'domain-admin'] as const)
      expect((await server.call(loginLinks.list, { as, params: { id } })).data).toHaveLength(1)
    const other = { id: server.cast.domains['beta']!.id }
    await expect(server.call(loginLinks.list, { as: 'domain-admin', params: other })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(server.call(loginLinks.list, { as: 'project-member', params: { id } })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('signing in to a domain by its id', () => {
  const signIn = (username: string, domain: string) =>
    server.call(session.login, { body: { username, password: PASSWORD, domain } })

  it('is the same as by its name', async () => {
    for (const who of ['project-member', 'other-member', 'superuser'] as const) {
      const { user, domain } = server.cast.people[who]
      for (const named of [domain.id, domain.name]) expect((await signIn(user.name, named)).id, named).toBe(user.id)
    }
  })

  it('leads into no other domain, and to no domain that there is not', async () => {
    const { user } = server.cast.people['project-member']
    for (const domain of [server.cast.domains['beta']!.id, '00000000-0000-4000-8000-000000000000'])
      await expect(signIn(user.name, domain)).rejects.toMatchObject({ code: 'wrong_credentials' })
  })
})
