import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { someId } from '../core/example'
import { endpoints, read, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Time } from '../core/names'
import { domainKind } from './domains'
import { NewPassword } from './password-rules'
import { GroupOfUser, OwnRights, UserRightsOfChange, UserRightsOfDraft, rightsOf } from './rights'
import { LoginName } from './tenancy-names'
import { projectRoles, userRoles } from './user-roles'

/** A person or program that signs in. It belongs to one domain. */
export const User = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  enabled: z.boolean(),
  email: z.string().nullable(),
  description: z.string(),
  /**
   * Role that summarizes all permissions, including those of groups. In the list of project members: the role in the
   * project.
   */
  role: z.enum([...userRoles, ...projectRoles]),
  /** The user's own permissions. `rightsOf` adds those of the groups. */
  ...OwnRights,
  groups: z.array(GroupOfUser),
  /** Identity provider of a federated user; null for a local user. */
  identity_provider: z.string().nullable(),
  s3_user_id: z.string().nullable(),
  /**
   * Only for local users. `chosen`: set by the user. `temporary`: must be changed at the next sign-in. `none`: not set
   * yet. Absent if passwords are managed elsewhere.
   */
  password_state: z.enum(['chosen', 'temporary', 'none']).optional(),
  /** Null if the cloud does not report it. */
  created_at: Time.nullable(),
})
export type User = z.infer<typeof User>

/** Failed sign-in attempts for a username. They expire after a while. */
export const UserLock = z.object({
  /** The highest count for a single address, or the total for all addresses from which the user has never signed in. */
  failures: z.number().int(),
  /** Time until which sign-ins are refused; null if there is no lock. */
  locked_until: Time.nullable(),
})
export type UserLock = z.infer<typeof UserLock>

export const Email = z
  .email(says('core.enter_email'))
  .max(255, says('core.too_long', { most: 255 }))
  .nullable()

export const UserDraft = z
  .strictObject({
    name: LoginName,
    /** If omitted, the user must set a password through a link before signing in. */
    password: NewPassword.optional(),
    /** Whether the password must be changed at the first sign-in. */
    must_change_password: z.boolean().default(false),
    email: Email.default(null),
    description: Description.default(''),
    enabled: z.boolean().default(true),
    ...UserRightsOfDraft,
  })
  .meta({
    examples: [
      { name: 'ada', password: 'correct horse 12' },
      {
        name: 'grace',
        password: 'correct horse 12',
        assigned_projects: [{ project_id: someId('project'), role: 'project_member' }],
      },
      { name: 'backup_script', assigned_projects: [{ project_id: someId('project'), role: 'service_account' }] },
    ],
  })
export type UserDraft = z.infer<typeof UserDraft>

/** Omitted fields stay unchanged. Omitted projects stay assigned; the role `none` removes an assignment. */
export const UserChange = z
  .strictObject({
    name: LoginName,
    /** Resets the password and ends the user's sessions. */
    password: NewPassword,
    /** Requires a new password at the next sign-in and ends the user's sessions. */
    must_change_password: z.boolean(),
    email: Email,
    description: Description,
    enabled: z.boolean(),
    ...UserRightsOfChange,
  })
  .partial()
  .meta({
    examples: [
      { description: 'Mathematician and programmer' },
      { assigned_projects: [{ project_id: someId('project'), role: 'project_admin' }] },
    ],
  })
export type UserChange = z.infer<typeof UserChange>

/** Whether the user signs in through an identity provider instead of a local password. */
export const isFederated = ({ identity_provider }: Pick<User, 'identity_provider'>): boolean =>
  identity_provider !== null

export const userKind = kind({
  name: 'user',
  entity: User,
  visibility: 'administered',
  parent: { kind: domainKind, field: 'domain_id' },
  filters: [
    'id',
    'name',
    'email',
    'role',
    'enabled',
    { name: 'identity_provider', type: 'id' },
    { name: 'project_id', path: 'derived.project_ids', type: 'tags' },
    { name: 'group_id', path: 'derived.group_ids', type: 'tags' },
  ],
  sortKeys: ['name', 'email', 'role', 'enabled', 'created_at'],
  search: ['name', 'email', 'description', 'id'],
  derive: {
    version: 2,
    from(user) {
      // rows created before groups were introduced have no groups
      const groups = (user.groups as GroupOfUser[] | undefined) ?? []
      const { assigned_projects } = rightsOf({ ...user, groups })
      return {
        project_ids: [...new Set(assigned_projects.map(({ project_id }) => project_id))],
        group_ids: groups.map(({ id }) => id),
      }
    },
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
  deleteSeveral: true,
  summaries: { delete: 'Delete a user. Objects that the user created stay in their projects.' },
})
export const users = endpoints({
  ...usual,
  replace: {
    verb: 'PUT',
    path: `${path}/:id`,
    needs: update('domain_user'),
    summary: 'Update a user. Same as PATCH, for clients that send PUT.',
    body: UserChange,
    reply: User,
  },
  lock: {
    verb: 'GET',
    path: `${path}/:id/lock`,
    needs: read('domain_user'),
    summary: 'Get the sign-in lock of a local user. Failed sign-ins delay the next attempt.',
    reply: UserLock,
  },
  unlock: {
    verb: 'PATCH',
    path: `${path}/:id/unlock`,
    needs: update('domain_user'),
    summary: 'Remove the sign-in lock from a user',
    reply: z.void(),
  },
})
