import { problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import { ruleFaults, ruleKey } from '@mainstay/contract/networking/rule-rules'
import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { DEFAULT_GROUP_NAME, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { NetworkingPort } from '../../../ports/networking'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow } from '../marks'
import { atFields, orElse, refuseFaults } from '../refusals'
import { usersOf } from '../users'
import { NamedRow, whole } from '../wire'
import { securityGroupReader, securityGroupRuleReader } from './reader'

const protectedGroup = () => problem('networking.default_group_stays')

/** Refreshes the group and the rows of its rules. */
async function shown(engine: Engine, id: string): Promise<SecurityGroup> {
  const group = await engine.refresh(securityGroupReader, id)
  for (const rule of group.security_group_rules) await unlessGone(engine.refresh(securityGroupRuleReader, rule.id))
  return group
}

export const securityGroupCommands = (engine: Engine): NetworkingPort['securityGroups'] => ({
  async create(scope, draft) {
    const cloud = await engine.as(scope)
    const Made = z.object({ security_group: z.object({ id: z.string() }) })
    const body = { security_group: draft }
    const { security_group } = await cloud.send('POST', 'network', '/security-groups', Made, { body })
    return shown(engine, security_group.id)
  },

  async update(scope, id, change) {
    const { name } = await engine.known<SecurityGroup>('security_group', scope, id)
    if (name === DEFAULT_GROUP_NAME) throw protectedGroup()
    const cloud = await engine.as(scope)
    const path = `/security-groups/${encodeURIComponent(id)}`
    if (Object.keys(change).length > 0)
      await cloud.send('PUT', 'network', path, z.void(), { body: { security_group: change } })
    return engine.refresh(securityGroupReader, id)
  },

  async delete(scope, id) {
    const row = await engine.known<SecurityGroup>('security_group', scope, id)
    if (row.name === DEFAULT_GROUP_NAME && !(await isLeftOver(engine, scope, row))) throw protectedGroup()
    const cloud = await engine.as(scope)
    // the cloud would also delete rules in other groups that reference this one
    const naming = await groupsNaming(engine, scope, id)
    if (naming.words !== '')
      throw problem('networking.group_named_by_rules', { names: naming.words }, { data: { used_by: naming.used_by } })
    await orElse(deleteRow(cloud, 'security-groups', id), async (problem) => {
      if (problem.code !== 'security_group_in_use') throw problem
      const { used_by, words } = await usersOf(engine, scope, { security_groups: { has: id } })
      const message = words === '' ? undefined : says('networking.group_in_use_by_ports', { names: words })
      throw withField(problem, { message, data: { used_by } })
    })
    for (const rule of row.security_group_rules) await unlessGone(engine.refresh(securityGroupRuleReader, rule.id))
    await unlessGone(engine.refresh(securityGroupReader, id))
  },
})

/** Whether this is the default group of a deleted project, which the cloud keeps. */
const isLeftOver = async ({ reading: { isProject } }: Engine, scope: Scope, { project_id }: SecurityGroup) =>
  scope.kind === 'system' && isProject !== undefined && !(await isProject(project_id))

const Naming = z.object({ id: z.string(), security_group_id: z.string(), project_id: z.string() })

/**
 * Returns the other groups whose rules reference this one. Names are included only for groups in the caller's project.
 */
async function groupsNaming({ reading: { caller } }: Engine, scope: Scope, id: string) {
  const fields = Object.keys(Naming.shape)
  const query = { remote_group_id: id, fields }
  const rules = await whole(caller.pages('network', '/security-group-rules', 'security_group_rules', Naming, { query }))
  const others = rules.filter((rule) => rule.security_group_id !== id)
  const seen = others.filter(({ project_id }) => scope.kind === 'system' || project_id === scope.project_id)
  const ids = [...new Set(seen.map(({ security_group_id }) => security_group_id))]
  const wanted = { query: { id: ids, fields: ['id', 'name'] } }
  const named =
    ids.length === 0
      ? []
      : await whole(caller.pages('network', '/security-groups', 'security_groups', NamedRow, wanted))
  const used_by = named.map((group) => ({ kind: 'security_group', id: group.id, name: group.name || group.id }))
  const words = [...used_by.map(({ name }) => name), ...(others.length > seen.length ? ['others'] : [])].join(', ')
  return { used_by, words }
}

/** Security group rule commands. They also refresh the group, which lists its rules. */
export const securityGroupRuleCommands = (engine: Engine): NetworkingPort['securityGroupRules'] => ({
  async create(scope, draft) {
    const group = await orElse(engine.known<SecurityGroup>('security_group', scope, draft.security_group_id), () =>
      Promise.reject(fieldProblem('security_group_id', 'networking.no_such_group')),
    )
    refuseFaults(ruleFaults(draft))
    const known = group.security_group_rules.find((rule) => ruleKey(rule) === ruleKey(draft))
    const there = known && (await unlessGone(engine.refresh(securityGroupRuleReader, known.id)))
    if (there) return there
    const cloud = await engine.as(scope)
    const path = '/security-group-rules'
    const Made = z.object({ security_group_rule: z.object({ id: z.string() }) })
    const body = { ...draft, protocol: draft.protocol === 'icmpv6' ? 'ipv6-icmp' : draft.protocol }
    const made = async () => {
      const { security_group_rule } = await atFields(
        { invalid_port_range: 'port_range_min' },
        cloud.send('POST', 'network', path, Made, { body: { security_group_rule: body } }),
      )
      return security_group_rule.id
    }
    const id = await orElse(made(), async (problem) => {
      const isOfGroup = draft.remote_group_id !== null && problem.code === 'validation'
      if (problem.code === 'not_found' || isOfGroup)
        throw withField(problem, {
          field: 'remote_group_id',
          code: 'validation',
          message: says('networking.no_such_group'),
        })
      if (problem.code !== 'duplicate_name') throw problem
      const { security_group_rules: rules } = await engine.refresh(securityGroupReader, draft.security_group_id)
      const same = rules.find((rule) => ruleKey(rule) === ruleKey(draft))
      if (!same) throw problem
      return same.id
    })
    await unlessGone(engine.refresh(securityGroupReader, draft.security_group_id))
    return engine.refresh(securityGroupRuleReader, id)
  },

  async delete(scope, id) {
    const { security_group_id } = await engine.known<SecurityGroupRule>('security_group_rule', scope, id)
    await deleteRow(await engine.as(scope), 'security-group-rules', id)
    await unlessGone(engine.refresh(securityGroupRuleReader, id))
    await unlessGone(engine.refresh(securityGroupReader, security_group_id))
  },
})
