import { serveDirectory, someDirectory } from '@mainstay/engines/openstack/testing/fake-cloud/directory'
import { startFakeCloud } from '@mainstay/engines/openstack/testing/fake-cloud/cloud'
import type { Log } from '@mainstay/engines/ports/records'
import type { Personas } from '../personas'
import { startServer } from '../start-server'

const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }

const form = (action: string, token: string) =>
  `<!DOCTYPE html><form action="${action}" method="post"><input type="hidden" name="token" value="${token}"></form>
  <script>document.forms[0].submit()</script>`

/** A fake cloud with the identity provider `company`, which signs everyone in as fay. */
export async function startCloudWithProvider() {
  const directory = someDirectory()
  const alpha = { id: 'd-alpha', name: 'alpha' }
  directory.users.push({ id: 'u-fay', name: 'fay', password: '', domain: alpha, federated: [{ idp_id: 'company' }] })
  directory.assignments.push({ user: 'u-fay', project: 'p-one', role: 'member' })
  directory.providers.push(
    { id: 'company', description: 'The company', enabled: true, domain_id: 'd-alpha', protocols: ['openid'] },
    { id: 'partners', description: 'Partners', enabled: true, domain_id: 'default', protocols: ['openid'] },
  )
  const cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  const tokenOf = (userId: string, provider = 'company') =>
    cloud.handOver(userId, { provider, protocol: 'openid', groups: [] })
  const page = '/auth/OS-FEDERATION/identity_providers/company/protocols/openid/websso'
  cloud.on('identity', 'GET', page, ({ query }) => ({
    headers: { 'content-type': 'text/html' },
    text: form(query.get('origin')!, tokenOf('u-fay')),
  }))
  return {
    cloud,
    directory,
    /** Origin of the cloud page that contains the form. */
    origin: new URL(cloud.authUrl).origin,
    /** The token in the form on that page. */
    tokenOf,
    /** Environment variables with which a server connects to this cloud. */
    environment: {
      MAINSTAY_ENGINE: 'openstack',
      MAINSTAY_WORLD: '',
      MAINSTAY_HYPERVISOR: '',
      OS_AUTH_URL: cloud.authUrl,
      OS_USER_ID: 'u-service',
      OS_PASSWORD: 'service-secret',
      OS_PROJECT_ID: 'p-admin',
    },
  }
}

/** Starts the whole server with such a cloud, behind a load balancer on this host. */
export async function startWithIdentityProvider({ log }: { log?: Log } = {}) {
  const fixture = await startCloudWithProvider()
  const environment = { ...fixture.environment, MAINSTAY_PROXIES: '127.0.0.1' }
  const server = await startServer({ cast: nobody, environment, ...(log && { log }) })
  return {
    ...fixture,
    server,
    async close() {
      await server.close()
      await fixture.cloud.close()
    },
  }
}
