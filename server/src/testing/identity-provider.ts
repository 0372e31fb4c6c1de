import { serveDirectory, someDirectory } from '@mainstay/engines/openstack/identity/testing/pretended-directory'
import { startPretendedCloud } from '@mainstay/engines/openstack/testing/pretended-cloud'
import type { Log } from '@mainstay/engines/ports/records'
import type { Cast } from './personas'
import { startServer } from './start-server'

const nobody: Cast = { domains: {}, projects: {}, people: {} as Cast['people'] }

/** The whole server before a pretended cloud that knows an identity provider, `company`, and somebody of it, fay. */
export async function startWithIdentityProvider(options: { log?: Log; environment?: Record<string, string> } = {}) {
  const directory = someDirectory()
  const alpha = { id: 'd-alpha', name: 'alpha' }
  directory.users.push({ id: 'u-fay', name: 'fay', password: '', domain: alpha, federated: [{ idp_id: 'company' }] })
  directory.assignments.push({ user: 'u-fay', project: 'p-one', role: 'member' })
  directory.providers.push(
    { id: 'company', description: 'The company', enabled: true, domain_id: 'd-alpha', protocols: ['openid'] },
    { id: 'partners', description: 'Partners', enabled: true, domain_id: 'default', protocols: ['openid'] },
  )
  const cloud = await startPretendedCloud(directory)
  serveDirectory(cloud, directory)
  const server = await startServer({
    cast: nobody,
    ...(options.log && { log: options.log }),
    environment: {
      MAINSTAY_ENGINE: 'openstack',
      MAINSTAY_WORLD: '',
      MAINSTAY_HYPERVISOR: '',
      OS_AUTH_URL: cloud.authUrl,
      OS_USER_ID: 'u-service',
      OS_PASSWORD: 'service-secret',
      OS_PROJECT_ID: 'p-admin',
      ...options.environment,
    },
  })
  return {
    server,
    cloud,
    directory,
    /** Where the cloud's page with the form is. */
    origin: new URL(cloud.authUrl).origin,
    /** What that page has in its form. */
    tokenOf: (userId: string, provider = 'company') =>
      cloud.handOver(userId, { provider, protocol: 'openid', groups: [] }),
    async close() {
      await server.close()
      await cloud.close()
    },
  }
}
