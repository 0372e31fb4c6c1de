import * as z from 'zod'
import { Id, isVisible, NOT_VISIBLE } from '../core/names'
import { says, type RuleText } from '../core/said'
import { mappingFaults } from './mapping-faults'
import { domainPermissions, projectRoles } from './user-roles'

/* Mapping from an identity provider's claims to groups, permissions and roles. */

/** Limits: rules per provider and values per rule. */
export const mostRules = 100
export const mostValues = 50

/** Returns the schema for a name or value sent by a provider. The value is compared exactly. */
export const Sent = (most: number) =>
  z.string().min(1, says('core.enter_value')).max(most, says('core.too_long', { most })).regex(isVisible, NOT_VISIBLE)

/** Claims to read: a name, or a path into a nested claim (`realm_access.roles`). */
export const Claims = z.strictObject({
  /** Claim with the username. */
  name: Sent(255).default('preferred_username'),
  email: Sent(255).default('email'),
  groups: Sent(255).default('groups'),
})
export type Claims = z.infer<typeof Claims>

/**
 * Grants a group, a permission in the domain or a role in a project to users with one of the values. At each sign-in,
 * grants from earlier sign-ins are revoked if no rule grants them any longer.
 */
export const MappingRule = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1, says('core.enter_name'))
      .max(64, says('core.too_long', { most: 64 }))
      .regex(isVisible, NOT_VISIBLE),
    /** Name of the claim; null for the groups claim. */
    claim: Sent(255).nullable().default(null),
    values: z
      .array(Sent(255))
      .min(1, says('core.enter_value'))
      .max(mostValues, says('identity.too_many_values', { most: mostValues })),
    group_id: Id.nullable().default(null),
    domain_permission: z.enum(domainPermissions, says('identity.unknown_permission')).nullable().default(null),
    project_id: Id.nullable().default(null),
    /** Role in the project. */
    role: z.enum(projectRoles, says('identity.unknown_project_role')).nullable().default(null),
  })
  .superRefine(({ group_id, domain_permission, project_id, role }, { addIssue }) => {
    if ([group_id, domain_permission, project_id].filter((it) => it !== null).length !== 1)
      addIssue({ code: 'custom', path: ['group_id'], message: says('identity.rule_one_target') })
    if ((project_id === null) !== (role === null))
      addIssue({ code: 'custom', path: ['role'], message: says('identity.role_needs_project') })
  })
export type MappingRule = z.infer<typeof MappingRule>

/**
 * How to treat users who match no rule: `admit` signs them in without permissions from a mapping, `refuse` refuses the
 * sign-in.
 */
export const unmatchedChoices = ['admit', 'refuse'] as const

/** Targets of rules. For each claim, only one rule may have a given target; it lists all values that qualify. */
const targets = { group_id: 'group', domain_permission: 'permission', project_id: 'project' } as const

/** How a user's claims are mapped at sign-in. */
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

/** Result of a mapping, the same for a sign-in and for a preview. */
export const MappingOutcome = z.object({
  /** Null if the sign-in would succeed. */
  refusal: z.object({ reason: z.enum(mappingFaults), message: z.string() }).nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Whether this would be the user's first sign-in. */
  is_new: z.boolean(),
  groups: z.array(Named),
  domain_permissions: z.array(z.enum(domainPermissions)),
  projects: z.array(Named.extend({ role: z.enum(projectRoles) })),
  /** Names of the matching rules. */
  rules: z.array(z.string()),
})
export type MappingOutcome = z.infer<typeof MappingOutcome>
