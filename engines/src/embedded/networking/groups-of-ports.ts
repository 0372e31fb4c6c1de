import { randomUUID } from 'node:crypto'
import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { DEFAULT_GROUP_NAME, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { Network } from '@mainstay/contract/networking/networks'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { now, ownerOf, type Owner } from './rows'

export type NewRule = Pick<SecurityGroupRule, 'direction' | 'ethertype'> & Partial<SecurityGroupRule>

/** Writes a rule's row. The caller must have locked the group, and adds the rule to it. */
export async function putRule(
  tx: RecordsTransaction,
  group: Pick<SecurityGroup, 'id' | 'project_id' | 'domain_id'>,
  rule: NewRule,
): Promise<SecurityGroupRule> {
  const row: SecurityGroupRule = {
    ...{ protocol: null, port_range_min: null, port_range_max: null },
    ...{ remote_ip_prefix: null, remote_group_id: null, description: '' },
    ...rule,
    id: randomUUID(),
    security_group_id: group.id,
    ...ownerOf(group),
    created_at: now(),
  }
  await tx.put('security_group_rule', row)
  return row
}

/** Rules for a new group, which allow all egress traffic. */
export const defaultEgressRules: readonly NewRule[] = [
  { direction: 'egress', ethertype: 'IPv4' },
  { direction: 'egress', ethertype: 'IPv6' },
]

export async function putGroup(
  tx: RecordsTransaction,
  owner: Owner,
  { name, description }: Pick<SecurityGroup, 'name' | 'description'>,
  rules: (id: string) => readonly NewRule[],
): Promise<SecurityGroup> {
  const id = randomUUID()
  const at = now()
  const group = { id, name, description, port_count: 0, ...ownerOf(owner), created_at: at, updated_at: at }
  const security_group_rules: SecurityGroupRule[] = []
  for (const rule of rules(id)) security_group_rules.push(await putRule(tx, group, rule))
  const row: SecurityGroup = { ...group, security_group_rules }
  await tx.put('security_group', row)
  return row
}

/**
 * Returns a project's default group, created on first use. Allows all egress traffic, and ingress traffic from its
 * members.
 */
export async function defaultGroup(tx: RecordsTransaction, owner: Owner): Promise<SecurityGroup> {
  const { project_id } = owner
  const find = () => tx.find<SecurityGroup>('security_group', { project_id, name: DEFAULT_GROUP_NAME }, 1)
  const [known] = await find()
  if (known) return known
  await tx.exclusive(`default group:${project_id}`)
  const [made] = await find()
  if (made) return made
  const text = { name: DEFAULT_GROUP_NAME, description: 'For ports without other security groups' }
  return putGroup(tx, owner, text, (id) => [
    ...defaultEgressRules,
    { direction: 'ingress', ethertype: 'IPv4', remote_group_id: id },
    { direction: 'ingress', ethertype: 'IPv6', remote_group_id: id },
  ])
}

interface Asked {
  spoofing_protection?: boolean | undefined
  security_groups?: readonly string[] | undefined
}
export interface Protection {
  spoofing_protection: boolean
  security_groups: string[]
}

/**
 * Throws if disabling spoofing protection would let a guest take over other guests' traffic. Operators may disable it
 * everywhere, and projects only in their own networks that are not shared.
 */
function refuseForging(scope: Scope, network: Network, owner: Owner, field: string): void {
  if (scope.kind === 'system') return
  if (network.project_id === owner.project_id && network.rbac_policies.length === 0) return
  throw fieldProblem(field, 'networking.spoofing_of_operators')
}

/**
 * Returns the protection of a port: as requested, otherwise as in `before`. Security groups require spoofing
 * protection, and a protected port has at least one group, by default the default group. Throws `forbidden` if the
 * scope may not disable spoofing protection.
 */
export async function protectionOf(
  tx: RecordsTransaction,
  { scope, network, owner }: { scope: Scope; network: Network; owner: Owner },
  asked: Asked,
  before: Protection,
  at: string,
): Promise<Protection> {
  const spoofing_protection = asked.spoofing_protection ?? before.spoofing_protection
  if (!spoofing_protection && before.spoofing_protection)
    refuseForging(scope, network, owner, `${at}spoofing_protection`)
  const field = `${at}security_groups`
  const named = asked.security_groups && [...new Set(asked.security_groups)]
  if (!spoofing_protection) {
    if (named && named.length > 0) throw fieldProblem(field, 'networking.groups_need_spoofing_protection')
    return { spoofing_protection, security_groups: [] }
  }
  if (named?.length === 0) throw fieldProblem(field, 'networking.group_or_no_protection')
  for (const [place, id] of (named ?? []).entries()) {
    const group = await tx.get<SecurityGroup>('security_group', id)
    if (group?.project_id !== owner.project_id) throw fieldProblem(`${field}.${place}`, 'networking.no_such_group')
  }
  if (named) return { spoofing_protection, security_groups: named }
  const groups = before.security_groups
  return {
    spoofing_protection,
    security_groups: groups.length > 0 ? groups : [(await defaultGroup(tx, owner)).id],
  }
}

/** Updates the port counts of security groups. */
export async function countPorts(
  tx: RecordsTransaction,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const changes = [
    ...before.filter((id) => !after.includes(id)).map((id) => ({ id, by: -1 })),
    ...after.filter((id) => !before.includes(id)).map((id) => ({ id, by: 1 })),
  ]
  for (const { id, by } of changes.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const group = await tx.lock<SecurityGroup>('security_group', id)
    // the group was deleted after it was chosen
    if (!group && by > 0) throw fieldProblem('security_groups', 'networking.no_such_group')
    if (group) await tx.put('security_group', { ...group, port_count: Math.max(0, group.port_count + by) })
  }
}
