import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, Time } from '../core/names'
import { Ipv4Cidr, Ipv6Cidr, PortNumberOrZero } from './address-fields'

/** Protocols known by name; others are numbers from 0 to 255. */
export const ruleProtocols = [
  'tcp',
  'udp',
  'icmp',
  'icmpv6',
  'ah',
  'dccp',
  'egp',
  'esp',
  'gre',
  'igmp',
  'ospf',
  'pgm',
  'rsvp',
  'sctp',
  'udplite',
  'vrrp',
] as const

/**
 * A rule in a security group. `protocol` null: all protocols. Ports null: all ports. For ICMP, they are type and code.
 */
export const SecurityGroupRule = z.object({
  id: z.string(),
  security_group_id: z.string(),
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.enum(['IPv4', 'IPv6']),
  protocol: z.string().nullable(),
  port_range_min: z.number().int().nullable(),
  port_range_max: z.number().int().nullable(),
  /** The remote side: a range or the members of a group; anyone if both are null. */
  remote_ip_prefix: z.string().nullable(),
  remote_group_id: z.string().nullable(),
  description: z.string(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
})
export type SecurityGroupRule = z.infer<typeof SecurityGroupRule>

/** Port for TCP and UDP; type and code for ICMP. */
const PortOrType = PortNumberOrZero.nullable().default(null)
const Protocol = z.coerce
  .string<string | number>()
  .max(16)
  .transform((it) => it.trim().toLowerCase())
  .transform((it) => (it === 'any' || it === '' ? null : it === 'ipv6-icmp' || it === 'icmp6' ? 'icmpv6' : it))
  .refine(
    (it) => it === null || ruleProtocols.some((name) => name === it) || (/^\d{1,3}$/.test(it) && Number(it) <= 255),
    says('networking.protocol'),
  )

/** Checks across fields are in `ruleFaults`. */
export const SecurityGroupRuleDraft = z
  .strictObject({
    security_group_id: Id,
    direction: z.enum(['ingress', 'egress']),
    ethertype: z.enum(['IPv4', 'IPv6']).default('IPv4'),
    protocol: Protocol.nullable().default(null),
    port_range_min: PortOrType,
    port_range_max: PortOrType,
    remote_ip_prefix: z.union([Ipv4Cidr, Ipv6Cidr]).nullable().default(null),
    remote_group_id: Id.nullable().default(null),
    description: Description.default(''),
  })
  .meta({
    examples: [
      {
        security_group_id: someId('security_group'),
        direction: 'ingress',
        protocol: 'tcp',
        port_range_min: 22,
        port_range_max: 22,
      },
    ],
  })
export type SecurityGroupRuleDraft = z.infer<typeof SecurityGroupRuleDraft>

export const securityGroupRuleKind = kind({
  name: 'security_group_rule',
  entity: SecurityGroupRule,
  visibility: 'project',
  filters: ['id', 'security_group_id', 'direction', 'ethertype', 'remote_group_id', 'project_id'],
  sortKeys: ['created_at', 'id'],
  defaultSort: 'created_at:asc',
  search: ['id', 'description'],
  permissions: { collection: 'compute_security_group_rules', item: 'compute_security_group_rules' },
})

export const securityGroupRules = crud(securityGroupRuleKind, {
  path: '/api/v2/compute/security-group-rules',
  called: ['a security group rule', 'security group rules'],
  draft: SecurityGroupRuleDraft,
  delete: true,
  summaries: {
    create: 'Add a rule to a security group. If the rule already exists, it is returned.',
    delete: 'Delete a security group rule. Connections that no other rule allows are closed.',
  },
})
