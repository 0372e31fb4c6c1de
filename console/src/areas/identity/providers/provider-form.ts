import {
  ProviderFields,
  type DomainProvider,
  type ProviderChange,
  type Protocol,
} from '@mainstay/contract/identity/identity-providers'
import { Mapping } from '@mainstay/contract/identity/provider-mapping'
import * as z from 'zod'

/** Where a SAML provider's settings come from: a metadata URL, metadata as XML, or manual entry. */
export const sources = ['url', 'xml', 'fields'] as const
export type Source = (typeof sources)[number]

/**
 * Form values for a provider, with empty strings for missing values. The server validates the fields for each protocol.
 */
export const ProviderForm = ProviderFields.pick({
  name: true,
  protocol: true,
  scope: true,
  request_timeout: true,
  enabled: true,
  certificates: true,
}).extend({
  issuer: z.string(),
  client_id: z.string(),
  client_secret: z.string().max(1024),
  source: z.enum(sources),
  metadata_url: z.string(),
  metadata: z.string(),
  sso_url: z.string(),
  mapping: Mapping,
})
export type ProviderForm = z.output<typeof ProviderForm>

/** The claim names usually used with each protocol. */
export const usualClaims = {
  openid: { name: 'preferred_username', email: 'email', groups: 'groups' },
  saml: { name: 'sub', email: 'email', groups: 'groups' },
} satisfies Record<Protocol, DomainProvider['mapping']['claims']>

export const emptyProvider: z.input<typeof ProviderForm> = {
  ...{ name: '', protocol: 'openid', issuer: '', client_id: '', client_secret: '', enabled: true },
  ...{ source: 'url', metadata_url: '', metadata: '', sso_url: '', certificates: [] },
  ...{ scope: 'openid email profile', request_timeout: 5 },
  mapping: { claims: usualClaims.openid, rules: [], unmatched: 'admit' },
}

export const startOf = (provider: DomainProvider): z.input<typeof ProviderForm> => {
  const { name, protocol, issuer, client_id, scope, metadata_url, sso_url, certificates } = provider
  const { request_timeout, enabled, mapping } = provider
  return {
    ...emptyProvider,
    ...{ name, protocol, issuer, request_timeout, enabled, mapping, certificates },
    client_id: client_id ?? '',
    ...(scope !== null && { scope }),
    source: metadata_url === null ? 'fields' : 'url',
    metadata_url: metadata_url ?? '',
    sso_url: sso_url ?? '',
  }
}

const saml = ({ source, issuer, sso_url, certificates, metadata, metadata_url }: ProviderForm) => {
  if (source === 'url') return { metadata_url }
  if (source === 'xml') return { metadata, metadata_url: null }
  return {
    ...{ issuer, sso_url, metadata_url: null },
    certificates: certificates.map((it) => it.trim()).filter((it) => it !== ''),
  }
}

/** Converts form values to an API request body. An empty secret is omitted, so that the stored one is kept. */
export const providerOf = (form: ProviderForm) => {
  const { name, protocol, request_timeout, enabled, mapping, issuer, client_id, client_secret, scope } = form
  const common = { name, request_timeout, enabled, mapping }
  return (
    protocol === 'saml'
      ? { ...common, ...saml(form) }
      : { ...common, issuer, client_id, scope, ...(client_secret !== '' && { client_secret }) }
  ) satisfies ProviderChange
}
