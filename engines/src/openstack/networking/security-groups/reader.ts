import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import * as z from 'zod'
import type { Query } from '../../client/service-client'
import type { Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { beforeTimes, pageSize } from '../wire'

/** A security group rule in Neutron. */
export const WireRule = z.object({
  id: z.string(),
  security_group_id: z.string(),
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.enum(['IPv4', 'IPv6']),
  protocol: z.union([z.string(), z.number()]).nullish(),
  port_range_min: z.number().nullish(),
  port_range_max: z.number().nullish(),
  remote_ip_prefix: z.string().nullish(),
  remote_group_id: z.string().nullish(),
  remote_address_group_id: z.string().nullish(),
  description: z.string().nullish(),
  project_id: z.string(),
  created_at: WireTime.nullish(),
})
export type WireRule = z.output<typeof WireRule>

export const WireGroup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  security_group_rules: z.array(WireRule).default([]),
  tags: z.array(z.string()).default([]),
  project_id: z.string(),
  created_at: WireTime.nullish(),
  updated_at: WireTime.nullish(),
})
export type WireGroup = z.output<typeof WireGroup>

/** Alternative protocol names in Neutron. */
const protocols: Record<string, string | null> = { 'ipv6-icmp': 'icmpv6', any: null, '': null }
const protocolOf = (said: string | number | null | undefined): string | null => {
  const name = String(said ?? '').toLowerCase()
  return name in protocols ? protocols[name]! : name
}

export const ruleOf = (wire: WireRule, domainId: string): SecurityGroupRule => ({
  id: wire.id,
  security_group_id: wire.security_group_id,
  direction: wire.direction,
  ethertype: wire.ethertype,
  protocol: protocolOf(wire.protocol),
  port_range_min: wire.port_range_min ?? null,
  port_range_max: wire.port_range_max ?? null,
  remote_ip_prefix: wire.remote_ip_prefix || null,
  // an address group is not a security group, but null would mean any source
  remote_group_id: (wire.remote_group_id ?? wire.remote_address_group_id) || null,
  description: wire.description ?? '',
  project_id: wire.project_id,
  domain_id: domainId,
  created_at: wire.created_at ?? beforeTimes,
})

const GroupsOfPort = z.object({ id: z.string(), security_groups: z.array(z.string()).default([]) })

/** Counts the ports per security group, for one group or, if null, for all of them. */
async function portCounts(
  { caller }: Reading,
  group: string | null,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const fields = ['id', 'security_groups']
  const query: Query = { ...(group !== null && { security_groups: group }), fields, limit: pageSize }
  const counts = new Map<string, number>()
  const pages = caller.pages('network', '/ports', 'ports', GroupsOfPort, { query, ...(signal && { signal }) })
  for await (const page of pages)
    for (const { security_groups } of page) for (const id of security_groups) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

const byAge = (one: SecurityGroupRule, other: SecurityGroupRule): number =>
  `${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1

/** Security groups in all projects, with their rules and the number of their ports. */
export const securityGroupReader = restReader({
  kind: 'security_group',
  service: 'network',
  path: '/security-groups',
  key: ['security_groups', 'security_group'],
  isOptional: true,
  item: WireGroup,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => portCounts(reading, null, signal),
    ofOne: (reading, { id }, signal) => portCounts(reading, id, signal),
  },
  row: async (wire, { domainOf }, counts): Promise<SecurityGroup> => {
    const domainId = await domainOf(wire.project_id)
    return {
      id: wire.id,
      name: wire.name,
      description: wire.description ?? '',
      security_group_rules: wire.security_group_rules.map((rule) => ruleOf(rule, domainId)).toSorted(byAge),
      tags: wire.tags,
      port_count: counts.get(wire.id) ?? 0,
      project_id: wire.project_id,
      domain_id: domainId,
      created_at: wire.created_at ?? beforeTimes,
      updated_at: wire.updated_at ?? wire.created_at ?? beforeTimes,
    }
  },
  shownAs: ({ security_group_rules }) => security_group_rules.map(({ id }) => id),
  shownBy: ({ security_group_rules }) => security_group_rules.map(({ id }) => ({ kind: 'security_group_rule', id })),
})

/** Rules in all projects. There are no notifications about the initial rules of a group. */
export const securityGroupRuleReader = restReader({
  kind: 'security_group_rule',
  service: 'network',
  path: '/security-group-rules',
  key: ['security_group_rules', 'security_group_rule'],
  isOptional: true,
  item: WireRule,
  query: { limit: pageSize },
  row: async (wire, { domainOf }) => ruleOf(wire, await domainOf(wire.project_id)),
})
