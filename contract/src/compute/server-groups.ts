import * as z from 'zod'
import { create, endpoints, read, remove } from '../core/endpoint'
import { kind } from '../core/kind'
import { ResourceName } from '../core/names'
import { page, PageQuery } from '../core/paging'

/** How nodes are chosen for the instances of a group. The soft ones prefer it, and give in where it is not possible. */
export const serverGroupPolicies = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const
export type ServerGroupPolicy = (typeof serverGroupPolicies)[number]

/** Instances that belong together on one node, or apart. An instance is in the group that it was made in, for good. */
export const ServerGroup = z.object({
  id: z.string(),
  name: z.string(),
  policy: z.enum(serverGroupPolicies),
  /** Ids of its instances. */
  members: z.array(z.string()),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
})
export type ServerGroup = z.infer<typeof ServerGroup>

export const ServerGroupDraft = z.strictObject({ name: ResourceName, policy: z.enum(serverGroupPolicies) })
export type ServerGroupDraft = z.infer<typeof ServerGroupDraft>

export const serverGroupKind = kind({
  name: 'server_group',
  entity: ServerGroup,
  visibility: 'project',
  filters: {
    id: { path: 'id', type: 'id' },
    name: { path: 'name', type: 'text' },
    policy: { path: 'policy', type: 'id' },
    members: { path: 'members', type: 'tags' },
    project_id: { path: 'project_id', type: 'id' },
  },
  sortKeys: {
    name: { path: 'name', type: 'text' },
    policy: { path: 'policy', type: 'text' },
    project_id: { path: 'project_id', type: 'id' },
  },
  permissions: { collection: 'compute_server_groups', item: 'compute_server_group' },
})

const base = '/api/v2/compute/server-groups'
export const serverGroups = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_server_groups'),
    summary: 'List server groups',
    query: PageQuery,
    reply: page(ServerGroup),
  },
  create: {
    verb: 'POST',
    path: base,
    needs: create('compute_server_groups'),
    summary: 'Make a server group',
    body: ServerGroupDraft,
    status: 201,
    reply: ServerGroup,
  },
  view: {
    verb: 'GET',
    path: `${base}/:id`,
    needs: read('compute_server_group'),
    summary: 'Read a server group',
    reply: ServerGroup,
  },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: remove('compute_server_group'),
    summary: 'Delete a server group; its instances stay where they are',
    reply: z.void(),
  },
})
