import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { ResourceName } from '../core/names'

/** How nodes are chosen for a group's instances. The soft policies are best effort. */
export const serverGroupPolicies = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const
export type ServerGroupPolicy = (typeof serverGroupPolicies)[number]

/**
 * Instances that are kept together on one node, or apart on different nodes. An instance's group is set when the
 * instance is created and cannot be changed.
 */
export const ServerGroup = z.object({
  id: z.string(),
  name: z.string(),
  policy: z.enum(serverGroupPolicies),
  /** IDs of the group's instances. */
  members: z.array(z.string()),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
})
export type ServerGroup = z.infer<typeof ServerGroup>

export const ServerGroupDraft = z
  .strictObject({ name: ResourceName, policy: z.enum(serverGroupPolicies) })
  .meta({ examples: [{ name: 'databases', policy: 'soft-anti-affinity' }] })
export type ServerGroupDraft = z.infer<typeof ServerGroupDraft>

export const serverGroupKind = kind({
  name: 'server_group',
  entity: ServerGroup,
  visibility: 'project',
  filters: ['id', 'name', 'policy', 'members', 'project_id'],
  sortKeys: ['name', 'policy', 'project_id'],
  permissions: { collection: 'compute_server_groups', item: 'compute_server_group' },
})

export const serverGroups = crud(serverGroupKind, {
  path: '/api/v2/compute/server-groups',
  called: ['a server group', 'server groups'],
  draft: ServerGroupDraft,
  delete: true,
  summaries: { delete: 'Delete a server group. Its virtual machines are not moved.' },
})
