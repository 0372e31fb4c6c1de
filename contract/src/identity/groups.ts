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

/** The most groups of a domain, members of a group, projects that a group is assigned to, and groups of a user. */
export const mostGroups = 1000
export const mostMembers = 2000
export const mostProjectsOfGroup = 100
export const mostGroupsOfUser = 20

/** Users of a domain who share rights: what a group may do, each of its members may, beside what is their own. */
export const Group = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** What the group makes of its members, in one word. */
  role: z.enum(userRoles),
  domain_id: z.string(),
  ...OwnRights,
  members_count: z.number().int(),
  /** The directory outside that says who is in it; null or absent for a group of this product. */
  identity_provider: z.string().nullish(),
  /** Null where the cloud that keeps it does not say. */
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

/** What is left out stays. Projects that are not named stay assigned; the role `none` takes one away. */
export const GroupChange = z
  .strictObject({ name: TenancyName, description: Description, ...RightsOfChange })
  .partial()
  .meta({
    examples: [
      { description: 'Those who write the shop' },
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
      update: 'Change a group. What it may do, its members may from their next call on',
      delete: 'Delete a group. Its members stay, and lose what it let them do',
    },
  }),
  members: {
    verb: 'GET',
    path: `${path}/:id/users`,
    needs: read('domain_users'),
    summary: 'Users who are in a group',
    query: PageQuery,
    reply: page(User),
  },
  addMembers: {
    verb: 'POST',
    path: `${path}/:id/users`,
    needs: update('domain_group'),
    summary: 'Put users into a group. Who is in it already stays in it',
    body: Several,
    status: 200,
    reply: Group,
  },
  removeMembers: {
    verb: 'DELETE',
    path: `${path}/:id/users`,
    needs: update('domain_group'),
    summary: 'Take users out of a group. Who is not in it stays out',
    body: Several,
    reply: z.void(),
  },
  ofUser: {
    verb: 'GET',
    path: '/api/v2/domains/:domain_id/users/:id/groups',
    needs: read('domain_groups'),
    summary: 'Groups that a user is in',
    query: PageQuery,
    reply: page(Group),
  },
})
