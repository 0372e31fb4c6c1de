import { says } from '../core/said'
import * as z from 'zod'
import { adminEndpoints, create, read, remove, update } from '../core/endpoint'
import { Description } from '../core/names'
import { page, PageQuery } from '../core/lists/paging'
import { NewPassword } from './password-rules'
import { LoginName } from './tenancy-names'
import { systemPermissions } from './user-roles'

/** A user in the default domain with system permissions, in the form that clients of this API family expect. */
const SystemAccount = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  is_enabled: z.boolean(),
  /** Whether this is the built-in administrator. */
  is_superuser: z.boolean(),
  is_group: z.literal(false),
  roles: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type SystemAccount = z.infer<typeof SystemAccount>

const Roles = z.array(z.enum(systemPermissions, says('identity.unknown_permission')))

const Draft = z.strictObject({
  name: LoginName,
  password: NewPassword,
  description: Description.default(''),
  is_enabled: z.boolean().default(true),
  is_group: z.literal(false, says('identity.groups_below_domain')).default(false),
  roles: Roles.min(1, says('identity.give_a_role')).default(['viewer']),
})
const Change = z
  .strictObject({
    name: LoginName,
    /** Setting a password ends the account's sessions. */
    password: NewPassword,
    description: Description,
    is_enabled: z.boolean(),
    roles: Roles,
  })
  .partial()
  .meta({ examples: [{ description: 'Operator on call' }] })

const path = '/api/v2/accounts'
/**
 * Users in the default domain with system permissions. The same users are also available at
 * `/api/v2/domains/default/users`.
 */
export const systemAccounts = adminEndpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('domain_users'),
    summary: 'List system accounts. They have permissions in the whole installation.',
    query: PageQuery,
    reply: page(SystemAccount),
  },
  view: {
    verb: 'GET',
    path: `${path}/:id`,
    needs: read('domain_user'),
    summary: 'Get a system account',
    reply: SystemAccount,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('domain_users'),
    summary: 'Create a system account. The body is a list with one account.',
    body: z
      .array(Draft)
      .length(1, says('identity.account_twice'))
      .meta({ examples: [[{ name: 'on_call', password: 'correct horse 12', roles: ['viewer'] }]] }),
    status: 201,
    reply: z.array(SystemAccount),
  },
  update: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('domain_user'),
    summary: 'Update a system account',
    body: Change,
    reply: SystemAccount,
  },
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('domain_user'),
    summary: 'Delete a system account',
    reply: z.void(),
  },
})
