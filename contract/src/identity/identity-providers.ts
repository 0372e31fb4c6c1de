import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'
import { domainKind } from './domains'
import { handOverFaults } from './hand-over'
import { Mapping, MappingOutcome, Sent } from './provider-mapping'
import { TenancyName } from './tenancy-names'

/** Maximum number of identity providers per domain. */
export const mostProviders = 20

/** OpenID Connect 1.0, or the web browser SSO profile of SAML 2.0. */
export const protocols = ['openid', 'saml'] as const
export type Protocol = (typeof protocols)[number]

/** An identity provider through which users of a domain sign in. */
export const DomainProvider = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  /** Disabling a provider prevents sign-ins and ends the sessions of its users. */
  enabled: z.boolean(),
  protocol: z.enum(protocols),
  /** Issuer; for SAML, the entity ID. */
  issuer: z.string(),
  /**
   * URL of the metadata; null if the metadata is at the default location below the issuer or, for SAML, if the settings
   * were entered manually.
   */
  metadata_url: z.string().nullable(),
  /** Null for SAML, as is `scope`. */
  client_id: z.string().nullable(),
  /** Whether a client secret is stored. It is never returned. */
  has_secret: z.boolean(),
  scope: z.string().nullable(),
  /** SAML only: URL of the provider's sign-in page. */
  sso_url: z.string().nullable(),
  /** SAML only: signing certificates in PEM. There may be several during a key rotation. */
  certificates: z.array(z.string()),
  /** Timeout for requests to the provider, in seconds. */
  request_timeout: z.number().int(),
  mapping: Mapping,
  created_at: Time,
})
export type DomainProvider = z.infer<typeof DomainProvider>

const Url = z
  .url({ protocol: /^https?$/, error: says('identity.https_address') })
  .max(1024, says('core.too_long', { most: 1024 }))
/** Issuer of an OpenID Connect provider; the URL of its metadata is derived from it. */
export const OpenIdIssuer = Url.refine((it) => !/[?#@]/.test(it), says('identity.issuer_form'))
/** URLs of SAML providers may have a query string. */
const AddressWithQuery = Url.refine((it) => !/[#@]/.test(it), says('identity.address_form'))

/** Limits for SAML: metadata length in characters, and certificates per provider. */
export const mostMetadata = 256 * 1024
export const mostCertificates = 8

const fields = {
  name: TenancyName,
  /** Issuer URL; for SAML, any entity ID. */
  issuer: z
    .string()
    .min(1, says('identity.enter_issuer'))
    .max(1024, says('core.too_long', { most: 1024 }))
    .regex(isVisible, NOT_VISIBLE),
  metadata_url: AddressWithQuery.nullable(),
  client_id: Sent(255),
  /** Null for a public client. */
  client_secret: z
    .string()
    .min(1, says('identity.enter_secret'))
    .max(1024, says('core.too_long', { most: 1024 }))
    .nullable(),
  /** SAML only: metadata as XML, instead of its URL or the three fields below. It is not stored. */
  metadata: z
    .string()
    .max(mostMetadata, says('core.too_long', { most: mostMetadata }))
    .nullable(),
  sso_url: AddressWithQuery.nullable(),
  /** In PEM, or in base64 as in SAML metadata. */
  certificates: z
    .array(
      z
        .string()
        .min(1, says('identity.enter_certificate'))
        .max(16_384, says('identity.certificate_too_long', { most: 16 })),
    )
    .max(mostCertificates, says('identity.too_many_certificates', { most: mostCertificates })),
  scope: z
    .string()
    .max(255, says('core.too_long', { most: 255 }))
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, says('identity.scope_form'))
    .refine((it) => it.split(' ').includes('openid'), 'openid must be one of the scopes'),
  request_timeout: z
    .number()
    .int()
    .min(1, says('core.at_least', { least: 1 }))
    .max(30, says('core.at_most', { most: 30 })),
  enabled: z.boolean(),
  mapping: Mapping,
  /**
   * Accepted for compatibility, with their only allowed values: the code flow and certificate verification are
   * mandatory.
   */
  response_type: z.literal('code', says('identity.code_flow_only')),
  verify_ssl: z.literal(true, says('identity.certificate_is_verified')),
}

/** Fields of a new provider, before the protocol-specific checks. */
export const ProviderFields = z.strictObject({
  ...fields,
  protocol: z.enum(protocols, says('identity.unknown_protocol')).default('openid'),
  issuer: fields.issuer.nullable().default(null),
  metadata_url: fields.metadata_url.default(null),
  client_id: fields.client_id.nullable().default(null),
  client_secret: fields.client_secret.default(null),
  metadata: fields.metadata.default(null),
  sso_url: fields.sso_url.default(null),
  certificates: fields.certificates.default([]),
  scope: fields.scope.default('openid email profile'),
  request_timeout: fields.request_timeout.default(5),
  enabled: fields.enabled.default(true),
  mapping: Mapping.prefault({}),
  response_type: fields.response_type.default('code'),
  verify_ssl: fields.verify_ssl.default(true),
})

const samlAlone = ['metadata', 'sso_url'] as const
const openidAlone = ['client_id', 'client_secret'] as const

export const ProviderDraft = ProviderFields.superRefine((draft, { addIssue }) => {
  const fault = (field: keyof typeof draft, message: RuleText) => addIssue({ code: 'custom', path: [field], message })
  const { protocol, issuer, metadata, metadata_url, sso_url, certificates, client_id } = draft
  if (protocol === 'openid') {
    const found = OpenIdIssuer.safeParse(issuer ?? '')
    if (!found.success) fault('issuer', found.error.issues[0]!.message as RuleText)
    if (client_id === null) fault('client_id', says('core.enter_value'))
    for (const field of samlAlone) if (draft[field] !== null) fault(field, says('identity.belongs_to_saml'))
    if (certificates.length > 0) fault('certificates', says('identity.belongs_to_saml'))
    return
  }
  for (const field of openidAlone) if (draft[field] !== null) fault(field, says('identity.belongs_to_openid'))
  if (metadata !== null && metadata_url !== null) fault('metadata', says('identity.metadata_or_address'))
  if (metadata !== null || metadata_url !== null) return
  if (issuer === null) fault('issuer', says('identity.enter_entity_id'))
  if (sso_url === null) fault('sso_url', says('identity.enter_sso_url'))
  if (certificates.length === 0) fault('certificates', says('identity.enter_signing_certificate'))
}).meta({ examples: [{ name: 'Example Corp', issuer: 'https://login.example', client_id: 'console' }] })
export type ProviderDraft = z.infer<typeof ProviderDraft>

/** Omitted fields stay unchanged, including the secret. */
export const ProviderChange = z
  .strictObject(fields)
  .partial()
  .meta({ examples: [{ scope: 'openid email profile groups' }] })
export type ProviderChange = z.infer<typeof ProviderChange>

/** A certificate that the provider may sign with. Its dates are informational and are not enforced. */
const SigningCertificate = z.object({
  pem: z.string(),
  subject: z.string(),
  /** SHA-256 in hexadecimal. */
  fingerprint: z.string(),
  not_after: Time,
})
export type SigningCertificate = z.infer<typeof SigningCertificate>

export const identityProviderKind = kind({
  name: 'identity_provider',
  entity: DomainProvider,
  visibility: 'administered',
  parent: { kind: domainKind, field: 'domain_id' },
  filters: ['id', 'name', 'enabled'],
  sortKeys: ['name', 'issuer', 'enabled', 'created_at'],
  search: ['name', 'issuer', 'id'],
  permissions: { collection: 'domain_idps', item: 'domain_idps' },
})

const path = '/api/v2/domains/:domain_id/idp'
export const identityProviders = endpoints({
  ...crud(identityProviderKind, {
    path,
    called: ['an identity provider', 'identity providers'],
    draft: ProviderDraft,
    change: ProviderChange,
    summaries: { update: 'Update an identity provider. Disabling it ends the sessions of its users.' },
  }),
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('domain_idps'),
    summary: 'Delete an identity provider. If it has users, set `delete_users` to delete them, too.',
    query: z.strictObject({ delete_users: z.enum(['true', 'false']).default('false') }),
    reply: z.void(),
  },
  test: {
    verb: 'POST',
    path: `${path}/test`,
    needs: update('domain_idps'),
    summary: 'Test an identity provider. Loads its metadata and its keys in the same way as a sign-in.',
    body: z
      .strictObject({
        issuer: OpenIdIssuer,
        metadata_url: AddressWithQuery.nullable().default(null),
        request_timeout: fields.request_timeout.default(5),
      })
      .meta({ examples: [{ issuer: 'https://login.example' }] }),
    reply: z.object({ issuer: z.string(), keys: z.number().int(), has_userinfo: z.boolean() }),
    status: 200,
  },
  readMetadata: {
    verb: 'POST',
    path: `${path}/metadata`,
    needs: update('domain_idps'),
    summary: 'Read SAML metadata. Returns the entity ID, the sign-in URL and the certificates of the provider.',
    body: z
      .strictObject({
        /** Entity ID, if the metadata describes several providers. */
        issuer: fields.issuer.nullable().default(null),
        metadata: fields.metadata.default(null),
        metadata_url: fields.metadata_url.default(null),
        request_timeout: fields.request_timeout.default(5),
      })
      .refine((it) => (it.metadata === null) !== (it.metadata_url === null), {
        path: ['metadata'],
        message: says('identity.metadata_or_address'),
      })
      .meta({ examples: [{ metadata_url: 'https://login.example/metadata' }] }),
    reply: z.object({
      issuer: z.string(),
      sso_url: z.string(),
      certificates: z.array(SigningCertificate),
      /** Certificates in the metadata that are not used, each with the reason. */
      skipped: z.array(z.string()),
    }),
    status: 200,
  },
  readResponse: {
    verb: 'POST',
    path: `${path}/:id/response`,
    // responses contain personal data, so the call is not recorded in the audit log
    needs: read('domain_idps'),
    summary: 'Check a SAML response. Returns its claims, or why a sign-in would refuse it. No one is signed in.',
    body: z
      .strictObject({
        /** As sent by the browser (`SAMLResponse`, base64), or as XML. */
        response: z
          .string()
          .min(1, says('identity.enter_response'))
          .max(400_000, says('core.too_long', { most: 400000 })),
      })
      .meta({ examples: [{ response: 'PFJlc3BvbnNlLz4=' }] }),
    reply: z.object({
      /** Null if the response is valid. Whether it matches a pending sign-in is not checked. */
      refusal: z.object({ reason: z.enum(handOverFaults), message: z.string() }).nullable(),
      /** Null if the response is refused. */
      claims: z.record(z.string(), z.unknown()).nullable(),
    }),
    status: 200,
  },
  preview: {
    verb: 'POST',
    path: `${path}/preview`,
    needs: update('domain_idps'),
    summary:
      'Preview the mapping of claims. Returns the username, groups and roles, or why a sign-in would be refused.',
    body: z
      .strictObject({
        /** Provider whose users are looked up; null for a new provider. */
        provider_id: Id.nullable().default(null),
        mapping: Mapping.prefault({}),
        claims: z
          .record(z.string(), z.unknown())
          .refine((it) => JSON.stringify(it).length <= 65_536, says('core.too_many_kib', { most: 64 })),
      })
      .meta({ examples: [{ claims: { sub: '1', preferred_username: 'ada' } }] }),
    reply: MappingOutcome,
    status: 200,
  },
})
