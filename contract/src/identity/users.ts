import * as z from 'zod'
import { crud } from '../core/crud'
import { someId } from '../core/example'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, Time } from '../core/names'
import { NewPassword } from './password-rules'
import { LoginName, Several } from './tenancy-names'
import { domainPermissions, projectRoles, systemPermissions, userRoles } from './user-roles'

/** A person or a program that signs in. Belongs to one domain. */
export const User = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  enabled: z.boolean(),
  email: z.string().nullable(),
  description: z.string(),
  /** What the user is in one word; of a member of a project, in the list of its members: the role in it. */
  role: z.enum([...userRoles, ...projectRoles]),
  system_permissions: z.array(z.enum(systemPermissions)),
  domain_permissions: z.array(z.enum(domainPermissions)),
  assigned_projects: z.array(z.object({ project_id: z.string(), role: z.string() })),
  /** Who vouches for a federated user; null for a local one. */
  identity_provider: z.string().nullable(),
  s3_user_id: z.string().nullable(),
  created_at: Time,
})
export type User = z.infer<typeof User>

export const Email = z.email('Enter an e-mail address').max(255, 'Use at most 255 characters').nullable()
const SystemPermissions = z.array(z.enum(systemPermissions, 'There is no such permission'))
const DomainPermissions = z.array(z.enum(domainPermissions, 'There is no such permission'))
const assigned = <Role extends string>(roles: readonly [Role, ...Role[]]) =>
  z
    .array(z.strictObject({ project_id: Id, role: z.enum(roles, 'There is no such role in a project') }))
    .max(100, 'Assign at most 100 projects at once')

export const UserDraft = z
  .strictObject({
    name: LoginName,
    password: NewPassword,
    email: Email.default(null),
    description: Description.default(''),
    enabled: z.boolean().default(true),
    system_permissions: SystemPermissions.default([]),
    domain_permissions: DomainPermissions.default([]),
    assigned_projects: assigned(projectRoles).default([]),
  })
  .meta({
    examples: [
      { name: 'ada', password: 'correct horse 12' },
      {
        name: 'grace',
        password: 'correct horse 12',
        assigned_projects: [{ project_id: someId('project'), role: 'project_member' }],
      },
    ],
  })
export type UserDraft = z.infer<typeof UserDraft>

/** What is left out stays. Projects that are not named stay assigned; the role `none` takes one away. */
export const UserChange = z
  .strictObject({
    name: LoginName,
    /** A new one for somebody who has lost theirs; their sessions end. */
    password: NewPassword,
    email: Email,
    description: Description,
    enabled: z.boolean(),
    system_permissions: SystemPermissions,
    domain_permissions: DomainPermissions,
    assigned_projects: assigned([...projectRoles, 'none']),
  })
  .partial()
  .meta({
    examples: [
      { description: 'The first programmer' },
      { assigned_projects: [{ project_id: someId('project'), role: 'project_admin' }] },
    ],
  })
export type UserChange = z.infer<typeof UserChange>

/** Whether an identity provider vouches for the user, and not a password that is kept here. */
export const isFederated = ({ identity_provider }: Pick<User, 'identity_provider'>): boolean =>
  identity_provider !== null

export const userKind = kind({
  name: 'user',
  entity: User,
  visibility: 'administered',
  filters: [
    'id',
    'name',
    'email',
    'role',
    'enabled',
    { name: 'domain_id', type: 'id' },
    { name: 'identity_provider', type: 'id' },
    { name: 'project_id', path: 'derived.project_ids', type: 'tags' },
  ],
  sortKeys: ['name', 'email', 'role', 'enabled', 'created_at'],
  search: ['name', 'email', 'description', 'id'],
  derive: {
    version: 1,
    from: ({ assigned_projects }) => ({ project_ids: assigned_projects.map(({ project_id }) => project_id) }),
  },
  permissions: { collection: 'domain_users', item: 'domain_user' },
})

const path = '/api/v2/domains/:domain_id/users'
const usual = crud(userKind, {
  path,
  called: ['a user', 'users'],
  draft: UserDraft,
  change: UserChange,
  delete: true,
  summaries: { delete: 'Delete a user; what they made stays in its projects' },
})
export const users = endpoints({
  ...usual,
  replace: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('domain_user'),
    summary: 'The same as PATCH, for programs that send PUT',
    body: UserChange,
    reply: User,
  },
  deleteSeveral: {
    verb: 'DELETE',
    path,
    needs: remove('domain_user'),
    summary: 'Delete users; those that cannot be deleted stay, and the answer says which and why',
    body: Several,
    reply: z.void(),
  },
})
