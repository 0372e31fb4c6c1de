import { notFound, Problem, problem, fieldProblem, problemOfFields } from '@mainstay/contract/core/problems'
import type { Port } from '@mainstay/contract/networking/ports'
import { ruleFaults, ruleKey } from '@mainstay/contract/networking/rule-rules'
import { parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import type { SecurityGroupRule, SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { DEFAULT_GROUP_NAME, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { RuleText } from '@mainstay/contract/core/said'
import type { NetworkingPort, SecurityGroupsPort } from '../../ports/networking'
import type { ProjectScope, Scope } from '../../ports/scope'
import { lockOwn } from '../access'
import type { Engine } from '../engine'
import { checkQuotas } from '../quotas'
import { defaultEgressRules, putGroup, putRule } from './groups-of-ports'
import { changing, namesOf, nameOfUser, now, usersOf } from './rows'

const refuseProtected = (what: string) => problem('networking.default_group_fixed', { what })

const deleteGroup = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const group = await lockOwn<SecurityGroup>(tx, 'security_group', scope, id)
    if (group.name === DEFAULT_GROUP_NAME) throw refuseProtected('deleted')
    const ports = await tx.find<Port>('port', { security_groups: { has: id } })
    const naming = (await tx.find<SecurityGroupRule>('security_group_rule', { remote_group_id: id })).filter(
      (rule) => rule.security_group_id !== id,
    )
    if (ports.length > 0 || naming.length > 0) {
      const groups = await Promise.all(
        [...new Set(naming.map((rule) => rule.security_group_id))].map((it) =>
          tx.get<SecurityGroup>('security_group', it),
        ),
      )
      const known = groups.filter((it): it is SecurityGroup => it !== null)
      const names = [...ports.map(nameOfUser), ...known.map((it) => `rules of ${it.name}`)]
      const others = known.map((it) => ({ kind: 'security_group', id: it.id, name: it.name }))
      throw problem(
        'networking.group_in_use',
        { names: namesOf(names) },
        { data: { used_by: [...usersOf(ports), ...others] } },
      )
    }
    for (const rule of group.security_group_rules) await tx.remove('security_group_rule', rule.id)
    await tx.remove('security_group', id)
  })

export const securityGroupCommands = (engine: Engine): SecurityGroupsPort => ({
  create: (scope, { name, description }) =>
    changing(engine, async (tx) => {
      await checkQuotas(engine, tx, scope, {
        security_groups: { amount: 1, field: 'name' },
        security_group_rules: { amount: defaultEgressRules.length, field: 'name' },
      })
      return putGroup(tx, scope, { name, description }, () => defaultEgressRules)
    }),
  update: (scope, id, change) =>
    changing(engine, async (tx) => {
      const group = await lockOwn<SecurityGroup>(tx, 'security_group', scope, id)
      if (group.name === DEFAULT_GROUP_NAME) throw refuseProtected('changed')
      const { name = group.name, description = group.description } = change
      const changed: SecurityGroup = { ...group, name, description, updated_at: now() }
      await tx.put('security_group', changed)
      return changed
    }),
  delete: (scope, id) => deleteGroup(engine, scope, id),
})

/** Normalizes a prefix to its network address; null stays null. */
const plainPrefix = (prefix: string | null): string | null => {
  const range = prefix === null ? null : parseRange(prefix)
  return range && rangeText(range)
}

/** Creates a rule, or returns an existing rule that allows the same traffic. */
const createRule = (engine: Engine, scope: ProjectScope, draft: SecurityGroupRuleDraft): Promise<SecurityGroupRule> =>
  changing(engine, async (tx) => {
    const group = await lockOwn<SecurityGroup>(tx, 'security_group', scope, draft.security_group_id).catch(
      (error: unknown) => {
        throw error instanceof Problem && error.code === 'not_found'
          ? fieldProblem('security_group_id', 'networking.no_such_group')
          : error
      },
    )
    const faults = ruleFaults(draft)
    const [first] = faults
    if (first) {
      const fields: Record<string, RuleText[]> = {}
      for (const { field, message } of faults) (fields[field] ??= []).push(message)
      throw problemOfFields(first.code, fields)
    }
    if (draft.remote_group_id !== null && draft.remote_group_id !== group.id) {
      const remote = await tx.lock<SecurityGroup>('security_group', draft.remote_group_id)
      if (remote?.project_id !== group.project_id) throw fieldProblem('remote_group_id', 'networking.no_such_group')
    }
    const known = group.security_group_rules.find((rule) => ruleKey(rule) === ruleKey(draft))
    if (known) return known
    await checkQuotas(engine, tx, group, { security_group_rules: { amount: 1, field: 'security_group_id' } })
    const rule = await putRule(tx, group, { ...draft, remote_ip_prefix: plainPrefix(draft.remote_ip_prefix) })
    const security_group_rules = [...group.security_group_rules, rule]
    await tx.put('security_group', { ...group, security_group_rules, updated_at: now() })
    return rule
  })

const deleteRule = (engine: Engine, scope: Scope, id: string): Promise<void> =>
  changing(engine, async (tx) => {
    const seen = await tx.get<SecurityGroupRule>('security_group_rule', id)
    if (!seen) throw notFound()
    const group = await lockOwn<SecurityGroup>(tx, 'security_group', scope, seen.security_group_id)
    if (!(await tx.lock('security_group_rule', id))) throw notFound()
    const security_group_rules = group.security_group_rules.filter((rule) => rule.id !== id)
    await tx.put('security_group', { ...group, security_group_rules, updated_at: now() })
    await tx.remove('security_group_rule', id)
  })

export const securityGroupRuleCommands = (engine: Engine): NetworkingPort['securityGroupRules'] => ({
  create: (scope, draft) => createRule(engine, scope, draft),
  delete: (scope, id) => deleteRule(engine, scope, id),
})
