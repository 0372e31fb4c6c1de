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

/** Login links of a server with the given configuration. */
const linksOf = (environment: Record<string, string>) => {
  const { hostname, addresses, port } = selfServiceOf(readConfig({ MAINSTAY_TLS: 'self-signed', ...environment }))
  return loginHosts(hostname, addresses()).map((host) => loginLink(host, port, 'd1'))
}

describe('the login link of a domain', () => {
  it('has the format {host}[:port]/login/{domainId} [VA-026]', async () => {
    const { id } = server.cast.domains['alpha']!
    const { data } = await server.call(loginLinks.list, { as: 'superuser', params: { id } })
    const link = `console.example:8800/login/${id}`
    expect(data).toEqual([{ link, address: `http://${link}` }])
    expect(loginLink('2001:db8::1', 8800, 'default')).toBe('[2001:db8::1]:8800/login/default')
  })

  it('omits the port only if it is 80 [VA-027]', () => {
    const hosts = { MAINSTAY_HOSTS: 'console.example' }
    expect(linksOf({ ...hosts, MAINSTAY_PORT: '80' })).toEqual(['console.example/login/d1'])
    for (const port of ['8800', '443', '8080'])
      expect(linksOf({ ...hosts, MAINSTAY_PORT: port })).toEqual([`console.example:${port}/login/d1`])
  })

  it('uses the configured host name unless it is an IPv4 address [VA-028]', () => {
    expect(linksOf({ MAINSTAY_HOSTS: 'cloud.example', MAINSTAY_HOST: '10.0.0.7' })).toEqual([
      'cloud.example:8800/login/d1',
    ])
    expect(loginHosts('10.0.0.9', ['10.0.0.7'])).toEqual(['10.0.0.7'])
    // a host name that merely starts like an IP address is still a host name
    expect(loginHosts('10.0.0.9.example', ['10.0.0.7'])).toEqual(['10.0.0.9.example'])
  })

  it('uses all configured IPv4 addresses, or the server’s own addresses if none are configured [VA-029]', () => {
    // configured addresses, such as a virtual IP address, are valid for all servers
    expect(linksOf({ MAINSTAY_HOSTS: '10.0.0.9', MAINSTAY_HOST: '10.0.0.7' })).toEqual(['10.0.0.9:8800/login/d1'])
    expect(linksOf({ MAINSTAY_HOSTS: '10.0.0.9,10.1.0.9', MAINSTAY_HOST: '0.0.0.0' })).toEqual([
      '10.0.0.9:8800/login/d1',
      '10.1.0.9:8800/login/d1',
    ])
    // without configured addresses, the server is reached at the address that it listens on
    expect(linksOf({ MAINSTAY_HOST: '10.0.0.7' })).toEqual(['10.0.0.7:8800/login/d1'])
    const own = Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => `${address}:8800/login/d1`)
    expect(linksOf({ MAINSTAY_HOST: '0.0.0.0' })).toEqual(own.length > 0 ? own : ['127.0.0.1:8800/login/d1'])
  })

  it('is shown only to operators and administrators of the domain', async () => {
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

describe('signing in to a domain by ID', () => {
  const signIn = (username: string, domain: string) =>
    server.call(session.login, { body: { username, password: PASSWORD, domain } })

  it('has the same result as by name', async () => {
    for (const who of ['project-member', 'other-member', 'superuser'] as const) {
      const { user, domain } = server.cast.people[who]
      for (const named of [domain.id, domain.name]) expect((await signIn(user.name, named)).id, named).toBe(user.id)
    }
  })

  it('fails for other and unknown domains', async () => {
    const { user } = server.cast.people['project-member']
    for (const domain of [server.cast.domains['beta']!.id, '00000000-0000-4000-8000-000000000000'])
      await expect(signIn(user.name, domain)).rejects.toMatchObject({ code: 'wrong_credentials' })
  })
})
