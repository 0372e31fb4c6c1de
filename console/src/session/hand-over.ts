import { handOver } from '@mainstay/contract/identity/hand-over'
import { call } from '../api/call'
import { rememberRedirects, type RedirectMemory } from './redirect-memory'

/** Leaves the console to sign in at an identity provider, which redirects back to /auth/success or /auth/failed. */
export async function leaveForProvider(id: string, memory: RedirectMemory) {
  const { address } = await call(handOver.begin, { params: { id } })
  rememberRedirects(memory)
  location.assign(address)
}

/** The identity providers for a domain, or for all domains if none is given. Null if they cannot be loaded. */
export const fetchProviders = (domain: string | undefined) =>
  call(handOver.providers, { query: { ...(domain && { domain }) } }).then(
    ({ data }) => data,
    () => null,
  )
