import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'
import { mappingFaults } from './mapping-faults'
import { TenancyName } from './tenancy-names'
import { domainPermissions, projectRoles } from './user-roles'

/** The most providers of a domain, rules of a provider, and values of a rule. */
export const mostProviders = 20
export const mostRules = 100
export const mostValues = 50

/** A name or a value that a provider sends, as it is compared: letter by letter. */
const Sent = (most: number) =>
  z.string().min(1, 'Enter a value').max(most, `Use at most ${most} characters`).regex(isVisible, NOT_VISIBLE)

/** Names of what a provider says of somebody: a claim, or a path to one within another (`realm_access.roles`). */
export const Claims = z.strictObject({
  /** The login of the user. */
  name: Sent(255).default('preferred_username'),
  email: Sent(255).default('email'),
  groups: Sent(255).default('groups'),
})
export type Claims = z.infer<typeof Claims>

/**
 * Whoever has one of the values gets what the rule gives: a group, a permission in the domain, or a role in a project. What a
 * rule has given, a later sign-in takes back where nothing gives it any more.
 */
export const MappingRule = z
  .strictObject({
    name: z.string().trim().min(1, 'Enter a name').max(64, 'Use at most 64 characters').regex(isVisible, NOT_VISIBLE),
    /** The claim that is looked into; null for that of the groups. */
    claim: Sent(255).nullable().default(null),
    values: z.array(Sent(255)).min(1, 'Enter a value').max(mostValues, `Enter at most ${mostValues} values`),
    group_id: Id.nullable().default(null),
    domain_permission: z.enum(domainPermissions, 'There is no such permission').nullable().default(null),
    project_id: Id.nullable().default(null),
    /** In the project. */
    role: z.enum(projectRoles, 'There is no such role in a project').nullable().default(null),
  })
  .superRefine(({ group_id, domain_permission, project_id, role }, { addIssue }) => {
    if ([group_id, domain_permission, project_id].filter((it) => it !== null).length !== 1)
      addIssue({ code: 'custom', path: ['group_id'], message: 'Choose one group, permission or project' })
    if ((project_id === null) !== (role === null))
      addIssue({ code: 'custom', path: ['role'], message: 'A role belongs to a project' })
  })
export type MappingRule = z.infer<typeof MappingRule>

/** What becomes of somebody for whom no rule holds: `admit` them without rights of their own, or `refuse`. */
export const unmatchedChoices = ['admit', 'refuse'] as const

/** What rules give; one rule gives it, for all values by which somebody gets it. */
const targets = { group_id: 'group', domain_permission: 'permission', project_id: 'project' } as const

/** What is made of the claims of somebody who signs in. */
export const Mapping = z
  .strictObject({
    claims: Claims.prefault({}),
    rules: z.array(MappingRule).max(mostRules, `Make at most ${mostRules} rules`).default([]),
    unmatched: z.enum(unmatchedChoices).default('admit'),
  })
  .superRefine(({ rules }, { addIssue }) => {
    for (const [at, rule] of rules.entries()) {
      const fault = (field: string, message: string) =>
        addIssue({ code: 'custom', path: ['rules', at, field], message })
      const before = rules.slice(0, at)
      if (before.some(({ name }) => name === rule.name)) fault('name', `There is a rule “${rule.name}” already`)
      for (const [field, what] of Object.entries(targets) as [keyof typeof targets, string][]) {
        const other = before.find((it) => it[field] !== null && it[field] === rule[field])
        if (other)
          fault(field, `The rules “${other.name}” and “${rule.name}” map to the same ${what}: make one of them`)
      }
      if (new Set(rule.values).size < rule.values.length) fault('values', 'One of the values is there twice')
    }
  })
export type Mapping = z.infer<typeof Mapping>

/** Who says of people of a domain who they are, in the place of a password. */
export const DomainProvider = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  /** Nobody signs in through a disabled one, and who has is out. */
  enabled: z.boolean(),
  protocol: z.enum(['openid']),
  issuer: z.string(),
  /** Where the provider's metadata is; null for the usual place below the issuer. */
  metadata_url: z.string().nullable(),
  client_id: z.string(),
  /** Whether a client secret is kept. It is never told. */
  has_secret: z.boolean(),
  scope: z.string(),
  /** How long an answer of the provider may take, seconds. */
  request_timeout: z.number().int(),
  mapping: Mapping,
  created_at: Time,
})
export type DomainProvider = z.infer<typeof DomainProvider>

const Address = z
  .url({ protocol: /^https?$/, error: 'Enter an address that begins with https://' })
  .max(1024, 'Use at most 1024 characters')
  .refine((it) => !/[?#@]/.test(it), 'Leave out names, ? and #')

const fields = {
  name: TenancyName,
  issuer: Address,
  metadata_url: Address.nullable(),
  client_id: Sent(255),
  /** Null for a client without one. */
  client_secret: z.string().min(1, 'Enter a secret').max(1024, 'Use at most 1024 characters').nullable(),
  scope: z
    .string()
    .max(255, 'Use at most 255 characters')
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'Enter words with a space between them')
    .refine((it) => it.split(' ').includes('openid'), 'openid must be one of them'),
  request_timeout: z.number().int().min(1, 'Enter at least 1').max(30, 'Enter at most 30'),
  enabled: z.boolean(),
  mapping: Mapping,
  /** For programs that say it: only a code is asked for, and no provider is trusted without its certificate. */
  response_type: z.literal('code', 'Only the authorization code is asked for: use code'),
  verify_ssl: z.literal(true, 'The certificate of a provider is always checked'),
}
export const ProviderDraft = z
  .strictObject({
    ...fields,
    metadata_url: fields.metadata_url.default(null),
    client_secret: fields.client_secret.default(null),
    scope: fields.scope.default('openid email profile'),
    request_timeout: fields.request_timeout.default(5),
    enabled: fields.enabled.default(true),
    mapping: Mapping.prefault({}),
    response_type: fields.response_type.default('code'),
    verify_ssl: fields.verify_ssl.default(true),
  })
  .meta({ examples: [{ name: 'The company', issuer: 'https://login.example', client_id: 'console' }] })
export type ProviderDraft = z.infer<typeof ProviderDraft>

/** What is left out stays, also the secret. */
export const ProviderChange = z
  .strictObject(fields)
  .partial()
  .meta({ examples: [{ scope: 'openid email profile groups' }] })
export type ProviderChange = z.infer<typeof ProviderChange>

const Named = z.object({ id: z.string(), name: z.string() })

/** What claims give: the same whether somebody signs in with them or they are only looked at. */
export const MappingOutcome = z.object({
  /** Null where they would be signed in. */
  refusal: z.object({ reason: z.enum(mappingFaults), message: z.string() }).nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Whether this would be the first sign-in of the user. */
  is_new: z.boolean(),
  groups: z.array(Named),
  domain_permissions: z.array(z.enum(domainPermissions)),
  projects: z.array(Named.extend({ role: z.enum(projectRoles) })),
  /** Names of the rules that hold. */
  rules: z.array(z.string()),
})
export type MappingOutcome = z.infer<typeof MappingOutcome>

export const identityProviderKind = kind({
  name: 'identity_provider',
  entity: DomainProvider,
  visibility: 'administered',
  filters: ['id', 'name', 'enabled', { name: 'domain_id', type: 'id' }],
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
        issuer: fields.issuer,
        metadata_url: fields.metadata_url.default(null),
        request_timeout: fields.request_timeout.default(5),
      })
      .meta({ examples: [{ issuer: 'https://login.example' }] }),
    reply: z.object({ issuer: z.string(), keys: z.number().int(), has_userinfo: z.boolean() }),
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
          .refine((it) => JSON.stringify(it).length <= 65_536, 'Enter at most 64 KiB'),
      })
      .meta({ examples: [{ claims: { sub: '1', preferred_username: 'ada' } }] }),
    reply: MappingOutcome,
    status: 200,
  },
})
