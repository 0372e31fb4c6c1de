import * as z from 'zod'
import { valueAt, type Kind } from './kind'

/*
 * Readers that a row is shared with, beyond the visibility of its kind. A reader is a string: `*` for all signed-in
 * users, `project:ID` for scopes of a project, `domain:ID` for scopes of a domain or of a project in it.
 */

/** Shares a row with a project, with a domain, or with all users (`target_project: '*'`). */
export const AccessPolicy = z.union([
  z.object({ target_project: z.string(), actions: z.array(z.string()) }),
  z.object({ target_domain: z.string(), actions: z.array(z.string()) }),
])
export type AccessPolicy = z.infer<typeof AccessPolicy>

export const EVERYBODY = '*'

/** The part of a scope that determines its readers. */
export interface ActingIn {
  kind: string
  project_id: string | null
  domain_id: string
}

/** Returns the readers that a row is shared with, sorted. */
export function readersOf({ shared, policies }: Pick<Kind, 'shared' | 'policies'>, entity: unknown): string[] {
  const readers = policies
    ? policiesAt(entity, policies.path).flatMap((it) => readerOf(it, policies.actions) ?? [])
    : []
  if (shared && valueAt(entity, shared.path) === shared.equals) readers.push(EVERYBODY)
  return [...new Set(readers)].toSorted()
}

/** Returns the readers that a scope counts as. */
export function namesOf({ kind, project_id, domain_id }: ActingIn): string[] {
  const names = [EVERYBODY]
  if (kind === 'project' && project_id !== null) names.push(`project:${project_id}`)
  if (kind === 'project' || kind === 'domain') names.push(`domain:${domain_id}`)
  return names
}

/** Whether a row with these readers is shared with a scope. */
export const isSharedWith = (scope: ActingIn, readers: readonly string[]): boolean =>
  readers.length > 0 && namesOf(scope).some((name) => readers.includes(name))

/** Returns the policies that a scope may see, which are those that apply to it. */
export const policiesFor = (scope: ActingIn, policies: readonly unknown[]): unknown[] =>
  policies.filter((policy) => {
    const target = targetOf(policy as AccessPolicy)
    return target !== null && namesOf(scope).includes(target)
  })

const policiesAt = (entity: unknown, path: string): AccessPolicy[] => {
  const found = valueAt(entity, path)
  return Array.isArray(found) ? (found as AccessPolicy[]) : []
}

const readerOf = (policy: AccessPolicy, actions: readonly string[]): string | null =>
  actions.some((action) => policy.actions.includes(action)) ? targetOf(policy) : null

function targetOf(policy: AccessPolicy): string | null {
  if ('target_project' in policy)
    return policy.target_project === EVERYBODY ? EVERYBODY : `project:${policy.target_project}`
  return 'target_domain' in policy ? `domain:${policy.target_domain}` : null
}
