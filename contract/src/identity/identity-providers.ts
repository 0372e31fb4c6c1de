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

/** The most providers of a domain. */
export const mostProviders = 20

/** How a provider is spoken with: OpenID Connect 1.0, or the web browser profile of SAML 2.0. */
export const protocols = ['openid', 'saml'] as const
export type Protocol = (typeof protocols)[number]

/** Who says of people of a domain who they are, in the place of a password. */
export const DomainProvider = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  /** Nobody signs in through a disabled one, and who has is out. */
  enabled: z.boolean(),
  protocol: z.enum(protocols),
  /** What the provider calls itself; with SAML its entity id. */
  issuer: z.string(),
  /** Where the provider's metadata is; null for the usual place below the issuer, and with SAML for settings that were entered. */
  metadata_url: z.string().nullable(),
  /** Null with SAML, as the scope. */
  client_id: z.string().nullable(),
  /** Whether a client secret is kept. It is never told. */
  has_secret: z.boolean(),
  scope: z.string().nullable(),
  /** With SAML: where people are sent to sign in. */
  sso_url: z.string().nullable(),
  /** With SAML: certificates with whose keys the provider may sign, PEM; several while it changes its key. */
  certificates: z.array(z.string()),
  /** How long an answer of the provider may take, seconds. */
  request_timeout: z.number().int(),
  mapping: Mapping,
  created_at: Time,
})
export type DomainProvider = z.infer<typeof DomainProvider>

const Url = z
  .url({ protocol: /^https?$/, error: says('identity.https_address') })
  .max(1024, says('core.too_long', { most: 1024 }))
/** The issuer of OpenID Connect, from which metadata are found. */
export const OpenIdIssuer = Url.refine((it) => !/[?#@]/.test(it), says('identity.issuer_form'))
/** SAML providers have addresses with a query. */
const AddressWithQuery = Url.refine((it) => !/[#@]/.test(it), says('identity.address_form'))

/** The most characters of a SAML provider's metadata, and certificates of one. */
export const mostMetadata = 256 * 1024
export const mostCertificates = 8

const fields = {
  name: TenancyName,
  /** What the provider calls itself: an address, or with SAML any entity id. */
  issuer: z
    .string()
    .min(1, says('identity.enter_issuer'))
    .max(1024, says('core.too_long', { most: 1024 }))
    .regex(isVisible, NOT_VISIBLE),
  metadata_url: AddressWithQuery.nullable(),
  client_id: Sent(255),
  /** Null for a client without one. */
  client_secret: z
    .string()
    .min(1, says('identity.enter_secret'))
    .max(1024, says('core.too_long', { most: 1024 }))
    .nullable(),
  /** With SAML: the provider's metadata as XML, in the place of an address of them or of the three fields below. Not kept. */
  metadata: z
    .string()
    .max(mostMetadata, says('core.too_long', { most: mostMetadata }))
    .nullable(),
  sso_url: AddressWithQuery.nullable(),
  /** As PEM, or the base64 of metadata. */
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
    .refine((it) => it.split(' ').includes('openid'), 'openid must be one of them'),
  request_timeout: z
    .number()
    .int()
    .min(1, says('core.at_least', { least: 1 }))
    .max(30, says('core.at_most', { most: 30 })),
  enabled: z.boolean(),
  mapping: Mapping,
  /** For programs that say it: only a code is asked for, and no provider is trusted without its certificate. */
  response_type: z.literal('code', says('identity.code_flow_only')),
  verify_ssl: z.literal(true, says('identity.certificate_is_verified')),
}

/** What is asked of a new provider of any protocol. */
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
}).meta({ examples: [{ name: 'The company', issuer: 'https://login.example', client_id: 'console' }] })
export type ProviderDraft = z.infer<typeof ProviderDraft>

/** What is left out stays, also the secret. */
export const ProviderChange = z
  .strictObject(fields)
  .partial()
  .meta({ examples: [{ scope: 'openid email profile groups' }] })
export type ProviderChange = z.infer<typeof ProviderChange>

/** A certificate with whose key a provider may sign. Its dates are told, and nothing else comes of them. */
const SigningCertificate = z.object({
  pem: z.string(),
  subject: z.string(),
  /** SHA-256, in hexadecimal. */
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
    summaries: { update: 'Change an identity provider. When it is disabled the sessions of its users end' },
  }),
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('domain_idps'),
    summary: 'Delete an identity provider without users; with `delete_users` its users as well',
    query: z.strictObject({ delete_users: z.enum(['true', 'false']).default('false') }),
    reply: z.void(),
  },
  test: {
    verb: 'POST',
    path: `${path}/test`,
    needs: update('domain_idps'),
    summary: 'Ask a provider for its metadata and its keys, as a sign-in would',
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
    summary: 'What metadata of a SAML provider say: its entity id, where it signs people in, and its certificates',
    body: z
      .strictObject({
        /** Which one, where metadata are of several. */
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
      /** Certificates of the metadata that are not used, and why, in words. */
      skipped: z.array(z.string()),
    }),
    status: 200,
  },
  readResponse: {
    verb: 'POST',
    path: `${path}/:id/response`,
    // what is in it is nobody's business but theirs who paste it: the audit log has no line
    needs: read('domain_idps'),
    summary: 'What a response of a SAML provider says, or why a sign-in refuses it. Nobody is signed in by it',
    body: z
      .strictObject({
        /** As the browser has sent it (`SAMLResponse`, base64), or as XML. */
        response: z
          .string()
          .min(1, says('identity.enter_response'))
          .max(400_000, says('core.too_long', { most: 400000 })),
      })
      .meta({ examples: [{ response: 'PFJlc3BvbnNlLz4=' }] }),
    reply: z.object({
      /** Null where it is right but for the sign-in to which it belongs, which is not looked for. */
      refusal: z.object({ reason: z.enum(handOverFaults), message: z.string() }).nullable(),
      /** Null where it is refused. */
      claims: z.record(z.string(), z.unknown()).nullable(),
    }),
    status: 200,
  },
  preview: {
    verb: 'POST',
    path: `${path}/preview`,
    needs: update('domain_idps'),
    summary: 'What a set of claims would give: user name, groups, roles, or why nobody would be signed in',
    body: z
      .strictObject({
        /** Whose users are looked for; null for a provider that is not there yet. */
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
