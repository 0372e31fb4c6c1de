import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import type { IdentityPort } from '@mainstay/engines/ports/identity'

const looksLikeId = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/**
 * Resolves the domain in a sign-in request to its name. Links to the sign-in page contain a domain ID instead of a name
 * (S2§2). A value that is not a known ID is treated as a name.
 */
export async function domainNameOf(
  nameOrId: string | undefined,
  identity: Pick<IdentityPort, 'domain'>,
): Promise<string | undefined> {
  if (nameOrId === undefined || !(nameOrId === DEFAULT_DOMAIN_ID || looksLikeId.test(nameOrId))) return nameOrId
  return (await identity.domain(nameOrId))?.name ?? nameOrId
}
