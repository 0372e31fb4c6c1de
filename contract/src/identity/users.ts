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

/** A person or a program that signs in. Belongs to one domain. */
export const User = z.object({
  id: z.string(),
  name: z.string(),
  domain_id: z.string(),
  enabled: z.boolean(),
  email: z.string().nullable(),
  description: z.string(),
  /** What the user is in one word, with the rights of their groups; in the list of members of a project: the role in it. */
  role: z.enum([...userRoles, ...projectRoles]),
  /** The user's own rights. Those of their groups come on top: `rightsOf` says all. */
  ...OwnRights,
  groups: z.array(GroupOfUser),
  /** Who vouches for a federated user; null for a local one. */
  identity_provider: z.string().nullable(),
  s3_user_id: z.string().nullable(),
  /**
   * Of a local user: `chosen` by themselves, `temporary` where they have to choose another one at the next sign-in, `none` before
   * they have one. Left out where passwords are kept elsewhere.
   */
  password_state: z.enum(['chosen', 'temporary', 'none']).optional(),
  /** Null where the cloud that keeps it does not say. */
  created_at: Time.nullable(),
})
export type User = z.infer<typeof User>

/** Failed sign-ins in a user's name. Each is forgotten after a while. */
export const UserLock = z.object({
  /** The most from one place, or of all places where the user has never signed in. */
  failures: z.number().int(),
  /** Until when somebody has to wait with the next attempt; null where nobody has to. */
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
    /** Without one nobody can sign in as this user before they have chosen one by a link. */
    password: NewPassword.optional(),
    /** The password is one that the user has to change at the first sign-in. */
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

/** What is left out stays. Projects that are not named stay assigned; the role `none` takes one away. */
export const UserChange = z
  .strictObject({
    name: LoginName,
    /** A new one for somebody who has lost theirs; their sessions end. */
    password: NewPassword,
    /** They have to choose another password before they go on; their sessions end. */
    must_change_password: z.boolean(),
    email: Email,
    description: Description,
    enabled: z.boolean(),
    ...UserRightsOfChange,
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
      // rows of before there were groups have none
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
  lock: {
    verb: 'GET',
    path: `${path}/:id/lock`,
    needs: read('domain_user'),
    summary: 'Whether sign-ins of a local user have to wait after failures',
    reply: UserLock,
  },
  unlock: {
    verb: 'PATCH',
    path: `${path}/:id/unlock`,
    needs: update('domain_user'),
    summary: 'Forget failed sign-ins of a user: the next one has not to wait',
    reply: z.void(),
  },
})
