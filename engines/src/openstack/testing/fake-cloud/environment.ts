import type { FaultProxy } from '../fault-proxy'

/** Returns the environment variables that connect a server to the fake cloud through a fault proxy. */
export const fakeEnvironment = ({ authUrl, overrides }: Pick<FaultProxy, 'authUrl' | 'overrides'>) => ({
  MAINSTAY_ENGINE: 'openstack',
  MAINSTAY_WORLD: '',
  MAINSTAY_HYPERVISOR: '',
  OS_AUTH_URL: authUrl,
  OS_COMPUTE_ENDPOINT_OVERRIDE: overrides.compute!,
  OS_USER_ID: 'u-service',
  OS_PASSWORD: 'service-secret',
  OS_PROJECT_ID: 'p-admin',
})
