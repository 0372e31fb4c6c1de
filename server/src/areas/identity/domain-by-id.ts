import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import type { IdentityPort } from '@mainstay/engines/ports/identity'

const looksLikeId = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/**
 * The name of the domain that somebody signs in to. Links to the sign-in page have its id in the place of its name (S2§2);
 * what is the id of no domain is a name.
 */
export async function domainNameOf(
  nameOrId: string | undefined,
  identity: Pick<IdentityPort, 'domain'>,
): Promise<string | undefined> {
  if (nameOrId === undefined || !(nameOrId === DEFAULT_DOMAIN_ID || looksLikeId.test(nameOrId))) return nameOrId
  return (await identity.domain(nameOrId))?.name ?? nameOrId
}
