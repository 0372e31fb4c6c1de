import type { APIRequestContext, PlaywrightWorkerArgs } from '@playwright/test'
import type { RunningServer } from './server'
import type { SignedIn } from './test'

/** Opens API clients that prepare test data: as the operator, and as the tenant in the demo world's project. */
export async function openRequests(
  request: PlaywrightWorkerArgs['playwright']['request'],
  server: RunningServer,
  signedIn: SignedIn,
): Promise<Record<'operator' | 'tenant', APIRequestContext>> {
  const headers = { 'x-requested-with': 'test' }
  const operator = await request.newContext({
    baseURL: server.adminUrl,
    storageState: await signedIn('operator'),
    extraHTTPHeaders: headers,
  })
  const { origins } = await signedIn('tenant')
  const token = origins[0]!.localStorage.find(({ name }) => name === 'scopedToken')!.value
  const tenant = await request.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { ...headers, 'x-auth-token': token },
  })
  return { operator, tenant }
}
