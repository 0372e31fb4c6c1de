import { each, ignored, tagless, unpaged, values, type CallTolerances, type Rewrite } from '../core/tolerance'
import { groups } from './groups'
import { systemAccounts } from './system-accounts'
import { users } from './users'

/**
 * Whether all assignments are without roles. An empty role means none, and users cannot have roles in other domains.
 */
const isWithoutRoles = (assigned: unknown) =>
  Array.isArray(assigned) &&
  assigned.every((it: { roles?: unknown } | null) => Array.isArray(it?.roles) && it.roles.length === 0)
const rightsTaken: readonly Rewrite[] = [
  each(
    'assigned_projects',
    values(['role'], (role) => role ?? 'none'),
  ),
  ignored(['assigned_domains'], isWithoutRoles),
]

export const identityTolerances: CallTolerances = [
  ...[users.list, groups.list].map((call) => [call, { query: [tagless] }] as const),
  ...[users.update, users.replace, groups.update].map((call) => [call, { body: rightsTaken }] as const),
  [systemAccounts.list, { query: [unpaged] }],
]
