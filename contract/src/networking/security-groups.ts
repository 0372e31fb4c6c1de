import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, ResourceName, Time } from '../core/names'
import { SecurityGroupRule } from './security-group-rules'

/** A project's default security group. It always exists and cannot be deleted. */
export const DEFAULT_GROUP_NAME = 'default'

/**
 * A security group (S2§3): its rules allow traffic to and from ports; all other traffic is blocked. Replies to allowed
 * traffic are always allowed.
 */
export const SecurityGroup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  security_group_rules: z.array(SecurityGroupRule),
  /** Omitted if the engine does not support tags. */
  tags: z.array(z.string()).optional(),
  /** Number of ports that use the group. */
  port_count: z.number().int(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type SecurityGroup = z.infer<typeof SecurityGroup>

const GroupName = ResourceName.refine(
  (name) => name.trim().toLowerCase() !== DEFAULT_GROUP_NAME,
  says('networking.default_group'),
)

export const SecurityGroupDraft = z
  .strictObject({ name: GroupName, description: Description.default('') })
  .meta({ examples: [{ name: 'web', description: 'Allows HTTP from everywhere' }] })
export type SecurityGroupDraft = z.infer<typeof SecurityGroupDraft>

export const SecurityGroupChange = z
  .strictObject({ name: GroupName, description: Description })
  .partial()
  .meta({ examples: [{ description: 'changed' }] })
export type SecurityGroupChange = z.infer<typeof SecurityGroupChange>

export const securityGroupKind = kind({
  name: 'security_group',
  entity: SecurityGroup,
  visibility: 'project',
  filters: ['id', 'name', 'project_id', 'domain_id'],
  sortKeys: ['name', 'created_at', 'port_count'],
  permissions: { collection: 'compute_security_groups', item: 'compute_security_group' },
})

const usual = crud(securityGroupKind, {
  path: '/api/v2/compute/security-groups',
  called: ['a security group', 'security groups'],
  draft: SecurityGroupDraft,
  change: SecurityGroupChange,
  delete: true,
  summaries: {
    create: 'Create a security group. It allows all outbound and no inbound traffic.',
    delete: 'Delete a security group. It must not be used by a port or a rule.',
  },
})
export const securityGroups = endpoints({ ...usual, put: { ...usual.update, verb: 'PUT' } })
