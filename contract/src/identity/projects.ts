import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, Several, Tag, Time } from '../core/names'
import { page, PageQuery } from '../core/lists/paging'
import { TaskStarted } from '../core/tasks'
import { domainKind } from './domains'
import { TenancyName } from './tenancy-names'
import { User } from './users'

/** What belongs together within a domain: machines, volumes and networks, and who may work with them. */
export const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Nobody works in a disabled project; what is in it runs on. */
  enabled: z.boolean(),
  domain_id: z.string(),
  members_count: z.number().int(),
  tags: z.array(z.string()),
  /** Null where the cloud that keeps it does not say. */
  created_at: Time.nullable(),
})
export type Project = z.infer<typeof Project>

const Tags = z.array(Tag).max(50, says('core.too_many_tags', { most: 50 }))

export const ProjectDraft = z
  .strictObject({
    name: TenancyName,
    description: Description.default(''),
    enabled: z.boolean().default(true),
    tags: Tags.default([]),
    /** For programs that say it: the id of the domain, in which every project is. */
    parent_id: Id.nullish(),
  })
  .meta({ examples: [{ name: 'Web shop' }] })
export type ProjectDraft = z.infer<typeof ProjectDraft>

export const ProjectChange = z
  .strictObject({ name: TenancyName, description: Description, enabled: z.boolean(), tags: Tags })
  .partial()
  .meta({ examples: [{ description: 'Machines of the web shop' }] })
export type ProjectChange = z.infer<typeof ProjectChange>

/** What is in a project: how many rows of each resource, by its name (`{ instances: 2 }`), and how many of them are locked. */
export const ProjectContents = z.object({
  counts: z.record(z.string(), z.number().int()),
  locked: z.number().int(),
})
export type ProjectContents = z.infer<typeof ProjectContents>

export const projectKind = kind({
  name: 'project',
  entity: Project,
  visibility: 'administered',
  parent: { kind: domainKind, field: 'domain_id' },
  owns: 'project_id',
  filters: ['id', 'name', 'enabled', 'tags'],
  sortKeys: ['name', 'enabled', 'members_count', 'created_at'],
  search: ['name', 'description', 'id'],
  permissions: { collection: 'domain_projects', item: 'domain_project' },
})

const path = '/api/v2/domains/:domain_id/projects'
export const projects = endpoints({
  ...crud(projectKind, {
    path,
    called: ['a project', 'projects'],
    draft: ProjectDraft,
    change: ProjectChange,
    delete: true,
    deleteSeveral: true,
    summaries: {
      update: 'Change a project. When it is disabled nobody works in it any more',
      delete: 'Delete a project that nothing is in',
      deleteSeveral: 'Delete projects that nothing is in; the others stay, and the answer says which and why',
    },
  }),
  contents: {
    verb: 'GET',
    path: `${path}/:id/contents`,
    needs: read('domain_project'),
    summary: 'What is in a project, and keeps it from being deleted',
    reply: ProjectContents,
  },
  deleteWithContents: {
    verb: 'POST',
    path: `${path}/:id/removal`,
    needs: remove('domain_project'),
    summary:
      'Delete a project with all that is in it, as a task. What is locked is refused, and nothing is deleted then',
    reply: TaskStarted,
    status: 202,
  },
  members: {
    verb: 'GET',
    path: `${path}/:id/users`,
    needs: read('domain_users'),
    summary: 'Users who are assigned to a project, with their role in it',
    query: PageQuery,
    reply: page(User),
  },
  removeMembers: {
    verb: 'DELETE',
    path: `${path}/:id/users`,
    needs: update('domain_user'),
    summary: 'Take users out of a project',
    body: Several,
    reply: z.void(),
  },
})
