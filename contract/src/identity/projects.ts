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

/** A project in a domain: its virtual machines, volumes and networks, and the users who can work with them. */
export const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** A disabled project cannot be used, but its resources keep running. */
  enabled: z.boolean(),
  domain_id: z.string(),
  members_count: z.number().int(),
  tags: z.array(z.string()),
  /** Null if the cloud does not report it. */
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
    /** Accepted for compatibility: must be the ID of the domain, the parent of all its projects. */
    parent_id: Id.nullish(),
  })
  .meta({ examples: [{ name: 'Web shop' }] })
export type ProjectDraft = z.infer<typeof ProjectDraft>

export const ProjectChange = z
  .strictObject({ name: TenancyName, description: Description, enabled: z.boolean(), tags: Tags })
  .partial()
  .meta({ examples: [{ description: 'Virtual machines of the web shop' }] })
export type ProjectChange = z.infer<typeof ProjectChange>

/** Contents of a project: number of rows by resource name (`{ instances: 2 }`), and number of locked rows. */
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
      update: 'Update a project. Users cannot work in a disabled project.',
      delete: 'Delete an empty project',
      deleteSeveral: 'Delete multiple empty projects. Other projects are kept; the error lists them with the reasons.',
    },
  }),
  contents: {
    verb: 'GET',
    path: `${path}/:id/contents`,
    needs: read('domain_project'),
    summary: 'List the contents of a project. They prevent its deletion.',
    reply: ProjectContents,
  },
  deleteWithContents: {
    verb: 'POST',
    path: `${path}/:id/removal`,
    needs: remove('domain_project'),
    summary: 'Delete a project with all its contents. Runs as a task. Nothing is deleted if an object in it is locked.',
    reply: TaskStarted,
    status: 202,
  },
  members: {
    verb: 'GET',
    path: `${path}/:id/users`,
    needs: read('domain_users'),
    summary: 'List the users of a project. Includes their role in it.',
    query: PageQuery,
    reply: page(User),
  },
  removeMembers: {
    verb: 'DELETE',
    path: `${path}/:id/users`,
    needs: update('domain_user'),
    summary: 'Remove users from a project',
    body: Several,
    reply: z.void(),
  },
})
