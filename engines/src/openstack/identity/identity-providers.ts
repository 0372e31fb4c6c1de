import * as z from 'zod'
import type { DomainRecord } from '../../ports/identity'
import type { CallOptions, ServiceClient } from '../client/service-client'

// https://docs.openstack.org/api-ref/identity/v3-ext/#os-federation-api

const WireProvider = z.object({
  id: z.string(),
  description: z.string().nullish(),
  enabled: z.boolean(),
  domain_id: z.string().nullish(),
})
const WireProtocol = z.object({ id: z.string() })

/** An identity provider with one of its protocols. */
export interface Way {
  /** The provider's ID, followed by the protocol if the provider has several. */
  id: string
  name: string
  provider: string
  protocol: string
  /** Null if the domain was generated for the provider, because its name means nothing to users. */
  domain_name: string | null
}

const root = '/OS-FEDERATION/identity_providers'

async function allOf<Item extends z.ZodType>(
  caller: ServiceClient,
  path: string,
  key: string,
  item: Item,
  how: CallOptions,
) {
  const rows: z.output<Item>[] = []
  for await (const page of caller.pages('identity', path, key, item, how)) rows.push(...page)
  return rows
}

/** Reads the enabled identity providers in enabled domains. */
export async function readSignInMethods(
  caller: ServiceClient,
  domainOf: (id: string) => Promise<DomainRecord | null>,
  how: CallOptions,
): Promise<Way[]> {
  const providers = await allOf(caller, root, 'identity_providers', WireProvider, how)
  const ways = await Promise.all(
    providers
      .filter(({ enabled }) => enabled)
      .map(async ({ id, description, domain_id }): Promise<Way[]> => {
        const path = `${root}/${encodeURIComponent(id)}/protocols`
        const [protocols, domain] = await Promise.all([
          allOf(caller, path, 'protocols', WireProtocol, how),
          domain_id == null ? null : domainOf(domain_id),
        ])
        if (domain?.enabled === false) return []
        // a domain that was generated for a provider has its ID as its name
        const domain_name = domain && domain.name !== domain.id ? domain.name : null
        const name = description?.trim() || id
        return protocols.map(({ id: protocol }) => ({
          id: protocols.length === 1 ? id : `${id}:${protocol}`,
          name: protocols.length === 1 ? name : `${name} (${protocol})`,
          provider: id,
          protocol,
          domain_name,
        }))
      }),
  )
  return ways.flat().toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}
