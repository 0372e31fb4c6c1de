import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, ServerHost, ServerPort, Time } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { connectionSecurities, type ConnectionSecurity } from './notifications'

/** `none`: no users are imported, and none sign in through a directory. `ad`: Active Directory. */
export const ldapKinds = ['none', 'ldap', 'ad'] as const
export type LdapKind = (typeof ldapKinds)[number]

/** Default LDAP port for each type of connection security. */
export const usualLdapPorts: Readonly<Record<ConnectionSecurity, number>> = { none: 389, STARTTLS: 389, SSL: 636 }
export const LDAP_PORT = usualLdapPorts.STARTTLS

/** Maximum number of imported users and groups. */
export const MOST_LDAP_PEOPLE = 50_000
export const MOST_LDAP_GROUPS = 1000

const Security = z.enum(connectionSecurities, says('settings.connection_security'))

/** Filter and attributes for reading the directory. */
const Attributes = z.object({
  /** Selects the users to import. */
  search_filter: z.string(),
  /** Attribute that identifies a user permanently, even if the name changes. */
  user_search_id_attr: z.string(),
  /** Attribute with the username. */
  user_search_login_attr: z.string(),
  group_search_id_attr: z.string(),
  group_name_attr: z.string(),
})

/** Initial values of the form for a kind of directory. */
export const LdapDefaults = Attributes.extend({
  kind: z.enum(ldapKinds),
  port: z.number().int(),
  connection_security: Security,
})
export type LdapDefaults = z.infer<typeof LdapDefaults>

const usual = { port: LDAP_PORT, connection_security: 'STARTTLS' } as const
const none = {
  search_filter: '',
  user_search_id_attr: '',
  user_search_login_attr: '',
  group_search_id_attr: '',
  group_name_attr: '',
}
export const ldapDefaults: Readonly<Record<LdapKind, LdapDefaults>> = {
  none: { kind: 'none', ...usual, ...none },
  ldap: {
    ...{ kind: 'ldap', ...usual, search_filter: '(objectClass=inetOrgPerson)' },
    ...{ user_search_id_attr: 'entryUUID', user_search_login_attr: 'uid' },
    ...{ group_search_id_attr: 'entryUUID', group_name_attr: 'cn' },
  },
  ad: {
    ...{ kind: 'ad', ...usual, search_filter: '(objectClass=user)' },
    ...{ user_search_id_attr: 'objectGUID', user_search_login_attr: 'sAMAccountName' },
    ...{ group_search_id_attr: 'objectGUID', group_name_attr: 'cn' },
  },
}

/** Directory import settings. The password is never returned; `has_bind_password` says whether it is set. */
export const LdapSettings = Attributes.extend({
  kind: z.enum(ldapKinds),
  /** Whether users are imported and can sign in with their directory password. */
  enabled: z.boolean(),
  /** Whether the form shows the filter and the attributes. */
  advanced: z.boolean(),
  host: z.string(),
  port: z.number().int(),
  connection_security: Security,
  /** CA certificates for the directory in PEM; empty: those that the system trusts. */
  ca_certificate: z.string(),
  /** DN used to read the directory; empty: anonymous. */
  bind_dn: z.string(),
  has_bind_password: z.boolean(),
  search_base_dn: z.string(),
})
export type LdapSettings = z.infer<typeof LdapSettings>

const Line = (most: number) =>
  z.string().trim().max(most, says('core.too_long', { most })).regex(isVisible, NOT_VISIBLE)

/** Whether the parentheses are balanced. Escaped ones are ignored. */
export function isBalanced(filter: string): boolean {
  let depth = 0
  for (const [one] of filter.matchAll(/\\.|[()]/gs)) {
    if (one === '(') depth += 1
    if (one === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

const Filter = Line(2000).refine(isBalanced, says('settings.parentheses'))
const Attribute = z
  .string()
  .trim()
  .max(100, says('core.too_long', { most: 100 }))
  .regex(/^([A-Za-z][A-Za-z0-9.-]*|\d+(\.\d+)+|)$/, says('settings.attribute_name'))

/**
 * In an update, omitted fields stay unchanged; in new settings, they get the defaults for the kind of directory. An
 * empty password removes the stored one.
 */
const Fields = {
  kind: z.enum(ldapKinds, says('settings.directory_type')),
  enabled: z.boolean(),
  advanced: z.boolean(),
  host: ServerHost,
  port: ServerPort,
  connection_security: Security,
  ca_certificate: z
    .string()
    .trim()
    .max(100_000, says('core.too_long', { most: 100000 }))
    .regex(/^$|^-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----$/, says('settings.paste_certificates')),
  bind_dn: Line(1000),
  bind_password: z
    .string()
    .max(1024, says('core.too_long', { most: 1024 }))
    .regex(/^[^\p{Cc}]*$/u, says('core.no_control_characters')),
  search_base_dn: Line(1000),
  search_filter: Filter,
  user_search_id_attr: Attribute,
  user_search_login_attr: Attribute,
  group_search_id_attr: Attribute,
  group_name_attr: Attribute,
}

export const LdapChange = z
  .strictObject(Fields)
  .partial()
  .meta({
    examples: [
      {
        // nothing listens on this port
        ...{ kind: 'ldap', enabled: false, host: '127.0.0.1', port: 9, connection_security: 'STARTTLS' },
        ...{ bind_dn: 'cn=reader,dc=example,dc=com', search_base_dn: 'dc=example,dc=com' },
      },
    ],
  })
export type LdapChange = z.infer<typeof LdapChange>

/** Result of a connection test. */
export const LdapFound = z.object({
  people: z.number().int(),
  groups: z.number().int(),
  /** The first three usernames. */
  names: z.array(z.string()),
})
export type LdapFound = z.infer<typeof LdapFound>

/** Why a user or a group was not imported. */
export const ldapFaults = [
  'name_taken',
  'name_unusable',
  /** The name attribute has several values, and none of them is in the distinguished name of the entry. */
  'name_ambiguous',
  'id_missing',
  'id_not_unique',
  'too_many_members',
  'too_many_groups',
] as const
export type LdapFault = (typeof ldapFaults)[number]

/** Result of the last completed import. */
export const LdapImport = z.object({
  ended_at: Time,
  /** Null if it succeeded. A failed import disables no users. */
  error: z.string().nullable(),
  /** Number of users found in the directory. */
  people: z.number().int(),
  groups: z.number().int(),
  added: z.number().int(),
  changed: z.number().int(),
  /** Number of users who are no longer in the directory or are disabled there. */
  disabled: z.number().int(),
  /** The first users and groups that were not imported; `faults_count` is their total number. */
  faults: z.array(z.object({ kind: z.enum(['user', 'group']), name: z.string(), reason: z.enum(ldapFaults) })),
  faults_count: z.number().int(),
})
export type LdapImport = z.infer<typeof LdapImport>

const resource = 'settings_ldap'
const path = '/api/v2/ldap/settings'

export const ldap = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'Get the directory settings. Users are imported from the directory (LDAP or Active Directory).',
    reply: LdapSettings,
  },
  defaults: {
    verb: 'GET',
    path: `${path}/defaults/:kind`,
    needs: read(resource),
    summary: 'Get the default settings for a kind of directory. `kind` is `none`, `ldap` or `ad`.',
    reply: LdapDefaults,
  },
  create: {
    verb: 'POST',
    path,
    needs: create(resource),
    summary: 'Create the directory settings. Fails if they already exist.',
    body: LdapChange,
    reply: LdapSettings,
    status: 201,
  },
  update: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Update the directory settings. Omitted fields stay unchanged.',
    body: LdapChange,
    reply: LdapSettings,
  },
  test: {
    verb: 'POST',
    path: `${path}/test`,
    needs: update(resource),
    summary: 'Test directory settings. Reads the directory with the given settings and changes nothing.',
    body: LdapChange,
    reply: LdapFound,
  },
  lastImport: {
    verb: 'GET',
    path: '/api/v2/ldap/import',
    needs: read(resource),
    summary: 'Get the last directory import. Null before the first import.',
    reply: LdapImport.nullable(),
  },
  import: {
    verb: 'POST',
    path: '/api/v2/ldap/import',
    needs: update(resource),
    summary: 'Import users and groups from the directory. An import also runs automatically every hour.',
    reply: TaskStarted,
    status: 202,
  },
})
