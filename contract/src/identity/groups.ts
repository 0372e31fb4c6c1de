import * as z from 'zod'
import { crud } from '../core/crud'
import { someId } from '../core/example'
import { endpoints, read, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Several, Time } from '../core/names'
import { page, PageQuery } from '../core/lists/paging'
import { domainKind } from './domains'
import { OwnRights, RightsOfChange, RightsOfDraft } from './rights'
import { TenancyName } from './tenancy-names'
import { userRoles } from './user-roles'
import { User } from './users'

/** Limits: groups per domain, members per group, projects per group and groups per user. */
export const mostGroups = 1000
export const mostMembers = 2000
export const mostProjectsOfGroup = 100
export const mostGroupsOfUser = 20

/** A group of users in a domain. Members have the group's permissions in addition to their own. */
export const Group = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Role that summarizes the permissions of the group. */
  role: z.enum(userRoles),
  domain_id: z.string(),
  ...OwnRights,
  members_count: z.number().int(),
  /** LDAP directory that manages the members; null or absent if they are managed here. */
  identity_provider: z.string().nullish(),
  /** Null if the cloud does not report it. */
  created_at: Time.nullable(),
})
export type Group = z.infer<typeof Group>

export const GroupDraft = z
  .strictObject({ name: TenancyName, description: Description.default(''), ...RightsOfDraft })
  .meta({
    examples: [
      { name: 'Developers' },
      { name: 'Testers', assigned_projects: [{ project_id: someId('project'), role: 'project_member' }] },
    ],
  })
export type GroupDraft = z.infer<typeof GroupDraft>

/** Omitted fields stay unchanged. Omitted projects stay assigned; the role `none` removes an assignment. */
export const GroupChange = z
  .strictObject({ name: TenancyName, description: Description, ...RightsOfChange })
  .partial()
  .meta({
    examples: [
      { description: 'Developers of the web shop' },
      { assigned_projects: [{ project_id: someId('project'), role: 'project_admin' }] },
    ],
  })
export type GroupChange = z.infer<typeof GroupChange>

export const groupKind = kind({
  name: 'group',
  entity: Group,
  visibility: 'administered',
  parent: { kind: domainKind, field: 'domain_id' },
  filters: ['id', 'name', 'role', { name: 'project_id', path: 'derived.project_ids', type: 'tags' }],
  sortKeys: ['name', 'role', 'members_count', 'created_at'],
  search: ['name', 'description', 'id'],
  derive: {
    version: 1,
    from: ({ assigned_projects }) => ({ project_ids: assigned_projects.map(({ project_id }) => project_id) }),
  },
  permissions: { collection: 'domain_groups', item: 'domain_group' },
})

const path = '/api/v2/domains/:domain_id/groups'
export const groups = endpoints({
  ...crud(groupKind, {
    path,
    called: ['a group', 'groups'],
    draft: GroupDraft,
    change: GroupChange,
    delete: true,
    summaries: {
      update: 'Update a group. Changed permissions apply from the next call of a member.',
      delete: 'Delete a group. Its members are kept, but lose the permissions of the group.',
    },
  }),
  members: {
    verb: 'GET',
    path: `${path}/:id/users`,
    needs: read('domain_users'),
    summary: 'List the members of a group',
    query: PageQuery,
    reply: page(User),
  },
  addMembers: {
    verb: 'POST',
    path: `${path}/:id/users`,
    needs: update('domain_group'),
    summary: 'Add users to a group (idempotent)',
    body: Several,
    status: 200,
    reply: Group,
  },
  removeMembers: {
    verb: 'DELETE',
    path: `${path}/:id/users`,
    needs: update('domain_group'),
    summary: 'Remove users from a group (idempotent)',
    body: Several,
    reply: z.void(),
  },
  ofUser: {
    verb: 'GET',
    path: '/api/v2/domains/:domain_id/users/:id/groups',
    needs: read('domain_groups'),
    summary: 'List the groups of a user',
    query: PageQuery,
    reply: page(Group),
  },
})
