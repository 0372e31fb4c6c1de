import * as z from 'zod'
import { Id, isVisible, NOT_VISIBLE } from '../core/names'
import { says, type RuleText } from '../core/said'
import { mappingFaults } from './mapping-faults'
import { domainPermissions, projectRoles } from './user-roles'

/* What an identity provider says of somebody, and what they are given for it. */

/** The most rules of a provider, and values of a rule. */
export const mostRules = 100
export const mostValues = 50

/** A name or a value that a provider sends, as it is compared: letter by letter. */
export const Sent = (most: number) =>
  z.string().min(1, says('core.enter_value')).max(most, says('core.too_long', { most })).regex(isVisible, NOT_VISIBLE)

/** Names of what a provider says of somebody: a claim, or a path to one within another (`realm_access.roles`). */
export const Claims = z.strictObject({
  /** The login of the user. */
  name: Sent(255).default('preferred_username'),
  email: Sent(255).default('email'),
  groups: Sent(255).default('groups'),
})
export type Claims = z.infer<typeof Claims>

/**
 * Whoever has one of the values gets what the rule gives: a group, a permission in the domain, or a role in a project. What a
 * rule has given, a later sign-in takes back where nothing gives it any more.
 */
export const MappingRule = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1, says('core.enter_name'))
      .max(64, says('core.too_long', { most: 64 }))
      .regex(isVisible, NOT_VISIBLE),
    /** The claim that is looked into; null for that of the groups. */
    claim: Sent(255).nullable().default(null),
    values: z
      .array(Sent(255))
      .min(1, says('core.enter_value'))
      .max(mostValues, says('identity.too_many_values', { most: mostValues })),
    group_id: Id.nullable().default(null),
    domain_permission: z.enum(domainPermissions, says('identity.unknown_permission')).nullable().default(null),
    project_id: Id.nullable().default(null),
    /** In the project. */
    role: z.enum(projectRoles, says('identity.unknown_project_role')).nullable().default(null),
  })
  .superRefine(({ group_id, domain_permission, project_id, role }, { addIssue }) => {
    if ([group_id, domain_permission, project_id].filter((it) => it !== null).length !== 1)
      addIssue({ code: 'custom', path: ['group_id'], message: says('identity.rule_one_target') })
    if ((project_id === null) !== (role === null))
      addIssue({ code: 'custom', path: ['role'], message: says('identity.role_needs_project') })
  })
export type MappingRule = z.infer<typeof MappingRule>

/** What becomes of somebody for whom no rule holds: `admit` them without rights of their own, or `refuse`. */
export const unmatchedChoices = ['admit', 'refuse'] as const

/** What rules give; of one claim one rule gives it, for all values by which a user gets it. */
const targets = { group_id: 'group', domain_permission: 'permission', project_id: 'project' } as const

/** What is made of the claims of somebody who signs in. */
export const Mapping = z
  .strictObject({
    claims: Claims.prefault({}),
    rules: z
      .array(MappingRule)
      .max(mostRules, says('identity.too_many_rules', { most: mostRules }))
      .default([]),
    unmatched: z.enum(unmatchedChoices).default('admit'),
  })
  .superRefine(({ claims, rules }, { addIssue }) => {
    for (const [at, rule] of rules.entries()) {
      const fault = (field: string, message: RuleText) =>
        addIssue({ code: 'custom', path: ['rules', at, field], message })
      const before = rules.slice(0, at)
      if (before.some(({ name }) => name === rule.name))
        fault('name', says('identity.rule_name_taken', { name: rule.name }))
      const isOfSameClaim = (it: MappingRule) => (it.claim ?? claims.groups) === (rule.claim ?? claims.groups)
      for (const [field, what] of Object.entries(targets) as [keyof typeof targets, string][]) {
        const others = before.filter((it) => it[field] !== null && it[field] === rule[field])
        const same = others.find(isOfSameClaim)
        const otherRole = others.find((it) => it.role !== rule.role)
        if (same)
          fault(field, says('identity.rules_same_target', { first: same.name, second: rule.name, target: what }))
        else if (otherRole)
          fault('role', says('identity.rules_differ_in_role', { first: otherRole.name, second: rule.name }))
      }
      if (new Set(rule.values).size < rule.values.length) fault('values', says('identity.value_twice'))
    }
  })
export type Mapping = z.infer<typeof Mapping>

const Named = z.object({ id: z.string(), name: z.string() })

/** What claims give: the same whether somebody signs in with them or they are only looked at. */
export const MappingOutcome = z.object({
  /** Null where they would be signed in. */
  refusal: z.object({ reason: z.enum(mappingFaults), message: z.string() }).nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Whether this would be the first sign-in of the user. */
  is_new: z.boolean(),
  groups: z.array(Named),
  domain_permissions: z.array(z.enum(domainPermissions)),
  projects: z.array(Named.extend({ role: z.enum(projectRoles) })),
  /** Names of the rules that hold. */
  rules: z.array(z.string()),
})
export type MappingOutcome = z.infer<typeof MappingOutcome>
