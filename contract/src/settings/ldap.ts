import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, ServerHost, Time } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { connectionSecurities, type ConnectionSecurity } from './notifications'

/** `none`: nobody is imported, and nobody signs in by a directory. `ad`: Active Directory. */
export const ldapKinds = ['none', 'ldap', 'ad'] as const
export type LdapKind = (typeof ldapKinds)[number]

/** The port on which directories usually answer with this security. */
export const usualLdapPorts: Readonly<Record<ConnectionSecurity, number>> = { none: 389, STARTTLS: 389, SSL: 636 }
export const LDAP_PORT = usualLdapPorts.STARTTLS

/** The most people that are imported, and the most groups. */
export const MOST_LDAP_PEOPLE = 50_000
export const MOST_LDAP_GROUPS = 1000

const Security = z.enum(connectionSecurities, says('settings.connection_security'))
const Port = z
  .number(says('core.enter_port'))
  .int(says('core.whole_number'))
  .min(1, says('core.between', { least: 1, most: 65535 }))
  .max(65535, says('core.between', { least: 1, most: 65535 }))

/** The attributes by which a directory is read. */
const Attributes = z.object({
  /** Which people are imported. */
  search_filter: z.string(),
  /** Never changes for a person, whatever they are called. */
  user_search_id_attr: z.string(),
  /** The name that a person signs in with. */
  user_search_login_attr: z.string(),
  group_search_id_attr: z.string(),
  group_name_attr: z.string(),
})

/** What the form begins with for a kind. */
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

/** How people are imported from a directory. The password is never told: `has_bind_password` says whether there is one. */
export const LdapSettings = Attributes.extend({
  kind: z.enum(ldapKinds),
  /** Whether people are imported and sign in by the directory. */
  enabled: z.boolean(),
  /** Whether the form shows the filter and the attributes. */
  advanced: z.boolean(),
  host: z.string(),
  port: z.number().int(),
  connection_security: Security,
  /** Authorities that the directory's certificate is checked against, PEM; empty: those of the system. */
  ca_certificate: z.string(),
  /** Who reads the directory; empty: anybody may. */
  bind_dn: z.string(),
  has_bind_password: z.boolean(),
  search_base_dn: z.string(),
})
export type LdapSettings = z.infer<typeof LdapSettings>

const Line = (most: number) =>
  z.string().trim().max(most, says('core.too_long', { most })).regex(isVisible, NOT_VISIBLE)

/** Whether every parenthesis that opens is closed; one behind a backslash is a character like others. */
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

/** What is left out of a change stays; of new settings it is the default of the kind. An empty password is none. */
const Fields = {
  kind: z.enum(ldapKinds, says('settings.directory_type')),
  enabled: z.boolean(),
  advanced: z.boolean(),
  host: ServerHost,
  port: Port,
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
        // nobody listens there
        ...{ kind: 'ldap', enabled: false, host: '127.0.0.1', port: 9, connection_security: 'STARTTLS' },
        ...{ bind_dn: 'cn=reader,dc=example,dc=com', search_base_dn: 'dc=example,dc=com' },
      },
    ],
  })
export type LdapChange = z.infer<typeof LdapChange>

/** What a test of the connection has found. */
export const LdapFound = z.object({
  people: z.number().int(),
  groups: z.number().int(),
  /** The first three login names. */
  names: z.array(z.string()),
})
export type LdapFound = z.infer<typeof LdapFound>

/** Why somebody, or a group, was not imported. */
export const ldapFaults = [
  'name_taken',
  'name_unusable',
  /** The attribute of the name has several values, and the entry's own distinguished name says none of them. */
  'name_ambiguous',
  'id_missing',
  'id_not_unique',
  'too_many_members',
  'too_many_groups',
] as const
export type LdapFault = (typeof ldapFaults)[number]

/** The last import that has ended. */
export const LdapImport = z.object({
  ended_at: Time,
  /** Null where it went well; nobody was disabled otherwise. */
  error: z.string().nullable(),
  /** Found in the directory. */
  people: z.number().int(),
  groups: z.number().int(),
  added: z.number().int(),
  changed: z.number().int(),
  /** People who are no longer in the directory, or disabled there. */
  disabled: z.number().int(),
  /** The first of what was not imported; `faults_count` says how many there are. */
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
    summary: 'How people are imported from a directory (LDAP, Active Directory)',
    reply: LdapSettings,
  },
  defaults: {
    verb: 'GET',
    path: `${path}/defaults/:kind`,
    needs: read(resource),
    summary: 'What the settings are for a kind of directory until somebody says otherwise: none, ldap, ad',
    reply: LdapDefaults,
  },
  create: {
    verb: 'POST',
    path,
    needs: create(resource),
    summary: 'Sets the directory. Refused where one is set',
    body: LdapChange,
    reply: LdapSettings,
    status: 201,
  },
  update: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Changes the settings of the directory. What is left out stays',
    body: LdapChange,
    reply: LdapSettings,
  },
  test: {
    verb: 'POST',
    path: `${path}/test`,
    needs: update(resource),
    summary: 'Reads the directory with these settings in the place of those that are saved, and changes nothing',
    body: LdapChange,
    reply: LdapFound,
  },
  lastImport: {
    verb: 'GET',
    path: '/api/v2/ldap/import',
    needs: read(resource),
    summary: 'What the last import from the directory did; null before the first one',
    reply: LdapImport.nullable(),
  },
  import: {
    verb: 'POST',
    path: '/api/v2/ldap/import',
    needs: update(resource),
    summary: 'Imports people and groups from the directory now. It happens each hour in any case',
    reply: TaskStarted,
    status: 202,
  },
})
