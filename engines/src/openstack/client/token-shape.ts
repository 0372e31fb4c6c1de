import { isoTimeOrUtc } from '@mainstay/contract/core/times'
import * as z from 'zod'
import { Secret } from '../../ports/secret'
import { type Catalogue, readCatalogue, WireCatalogue } from './catalogue'

const WireDomain = z.object({ id: z.string(), name: z.string() })
const WireOwned = z.object({ id: z.string(), name: z.string(), domain: WireDomain })
const WireRole = z.object({ id: z.string(), name: z.string() })

/** The fields of a Keystone token that we use. */
export const WireToken = z.object({
  token: z.object({
    expires_at: z.string(),
    issued_at: z.string(),
    user: WireOwned.extend({
      'OS-FEDERATION': z
        .object({
          identity_provider: z.object({ id: z.string() }),
          protocol: z.object({ id: z.string() }),
          groups: z.array(z.object({ id: z.string() })).catch([]),
        })
        .nullish(),
    }),
    project: WireOwned.nullish(),
    domain: WireDomain.nullish(),
    system: z.looseObject({}).nullish(),
    roles: z.array(WireRole).nullish(),
    catalog: WireCatalogue.nullish(),
    application_credential: z.object({ access_rules: z.array(z.unknown()).nullish() }).nullish(),
  }),
})

export interface Token {
  id: Secret
  /** According to the local clock. */
  expiresAt: Date
  user: { id: string; name: string; domain: { id: string; name: string } }
  /** Scope of the token: a project, a domain, the system, or none. */
  project: { id: string; name: string; domain: { id: string; name: string } } | null
  domain: { id: string; name: string } | null
  system: boolean
  roles: { id: string; name: string }[]
  /** Identity provider of a federated user; null for other users. */
  federation: { provider: string; protocol: string; groups: string[] } | null
  /** Whether the token was issued for an application credential that allows only certain calls. */
  hasAccessRules: boolean
  catalogue: Catalogue
}

/**
 * Reads the details of a token. `isNew`: whether the token was just issued, so that its lifetime counts from now
 * regardless of the cloud's clock.
 */
export function readToken(id: string, { token }: z.output<typeof WireToken>, isNew: boolean): Token {
  const expires = isoTimeOrUtc(token.expires_at)
  const lifeMs = expires - isoTimeOrUtc(token.issued_at)
  const { 'OS-FEDERATION': federation, ...user } = token.user
  return {
    id: new Secret(id),
    expiresAt: new Date(isNew && lifeMs > 0 ? Date.now() + lifeMs : expires),
    user,
    project: token.project ?? null,
    domain: token.domain ?? null,
    system: token.system != null,
    roles: token.roles ?? [],
    federation: federation
      ? {
          provider: federation.identity_provider.id,
          protocol: federation.protocol.id,
          groups: federation.groups.map(({ id }) => id),
        }
      : null,
    hasAccessRules: (token.application_credential?.access_rules ?? []).length > 0,
    catalogue: readCatalogue(token.catalog ?? []),
  }
}
