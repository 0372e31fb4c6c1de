import { notFound } from '@mainstay/contract/core/problems'
import type { HandOverPort } from '../../ports/identity'
import { endpointOf, identityEndpoint } from '../client/catalogue'
import type { Cloud } from '../client/cloud'
import type { TokenSource } from '../client/tokens'
import type { CloudSettings } from '../configuration/cloud-settings'
import { onAuthenticated, nullIfInvalidCredential } from './on-authenticated'
import type { Way } from './identity-providers'
import type { Lookups } from './lookups'

/*
 * Keystone WebSSO: the browser opens a Keystone URL that is protected by the identity provider, and receives a form
 * that posts an unscoped token to the console.
 * https://docs.openstack.org/keystone/latest/admin/federation/configure_federation.html
 */

/** Returns Keystone's URL for browsers, which may differ from the URL used here. */
export async function addressForBrowsers(
  { authUrl, webssoUrl, endpoints: doors }: Pick<CloudSettings, 'authUrl' | 'webssoUrl' | 'endpoints'>,
  tokens: TokenSource,
): Promise<string> {
  if (webssoUrl !== null) return identityEndpoint(webssoUrl).root
  const { catalogue } = await tokens.token()
  const { overrides: _, ...rest } = doors
  const told = endpointOf('identity', catalogue, { ...rest, interface: 'public' }, null)
  return (told ?? identityEndpoint(authUrl)).root
}

export function createHandOver(options: {
  cloud: Cloud
  lookups: Lookups
  addressForBrowsers: () => Promise<string>
}): HandOverPort {
  const { cloud, lookups, addressForBrowsers: address } = options
  const ways = async (): Promise<Way[]> => (await lookups.ways.get('all')) ?? []
  const wayOf = async (id: string) => (await ways()).find((it) => it.id === id)

  return {
    providers: async () => (await ways()).map(({ id, name, domain_name }) => ({ id, name, domain_name })),

    async begin(id, landing) {
      const way = await wayOf(id)
      if (!way) throw notFound()
      const [provider, protocol] = [way.provider, way.protocol].map(encodeURIComponent)
      const path = `/auth/OS-FEDERATION/identity_providers/${provider}/protocols/${protocol}/websso`
      return `${await address()}${path}?origin=${encodeURIComponent(landing)}`
    },

    origin: async () => new URL(await address()).origin,

    async accept(id, secret) {
      const way = await wayOf(id)
      // query Keystone with the token itself, so that only the token determines the user
      const token = way ? await cloud.inspect(secret).catch(nullIfInvalidCredential) : null
      if (!way || !token?.federation) return null
      const { provider, protocol, groups } = token.federation
      const isOfThisWay = provider === way.provider && protocol === way.protocol
      // a scoped token was obtained by exchanging another token, and does not come from a sign-in
      const isScoped = token.project !== null || token.domain !== null || token.system
      if (!isOfThisWay || isScoped) return null
      await lookups.tokenGroups.told(token.user.id, groups, token.expiresAt)
      const known = await onAuthenticated(lookups, token)
      return { ...known, user: { ...known.user, identity_provider: known.user.identity_provider ?? provider } }
    },
  }
}
