import { allQuotas, quotaNames } from '@mainstay/contract/all-quotas'
import { summaryOf, type Endpoint } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Check, CheckCode, Explanation, HeldRole } from '@mainstay/contract/identity/explanations'
import { projectKind } from '@mainstay/contract/identity/projects'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { isServedAt, type Panel } from '@mainstay/contract/panels'
import type { Role } from '@mainstay/contract/permissions'
import { resourceList } from '@mainstay/contract/resources'
import type { ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { entryOf, type Barrier, type Entry } from '../../../session/entry'
import { givenRoles, grantsCall, rolesThatWouldAllow } from '../../../session/held-roles'
import { effectiveRolesInProject, grantsFor, rolesInProject } from '../../../session/scopes'
import { grantsInSession, mayCall, type SignedIn } from '../../../session/signed-in'
import type { Tools } from '../../../tools'
import { rulesOf } from './object-rules'

/** Whether a user may make a call, optionally in a project and for an object. */
export interface Question {
  call: string
  user_id?: string | undefined
  project_id?: string | undefined
  object_id?: string | undefined
}

export interface Act {
  name: string
  endpoint: Endpoint
  kind: Kind | undefined
}

/** Finds a call by its name in the OpenAPI document, such as `volumes.delete`. Throws a `validation` error. */
export function actOf(name: string): Act {
  const [resource = '', called = ''] = name.split('.')
  const found = resourceList.find(([known]) => known === resource)?.[1]
  const endpoint = found && Object.hasOwn(found.calls, called) ? found.calls[called] : undefined
  if (!found || !endpoint) throw fieldProblem('call', 'core.no_such_call')
  return { name, endpoint, kind: found.kind }
}

/** The user, project and object for which a call is explained. */
interface Case {
  act: Act
  user: UserRecord
  project: ProjectRecord | null
  entry: Entry
  object: Entity | null
  /** The caller's session if callers ask about themselves; null if the question is about another user. */
  own: SignedIn | null
  /** Panel that received the request. */
  panel: Panel
}

/** Runs all checks in the same order as the server does when a call is made, and returns their results. */
export async function checksOf(at: Case, { inventory }: Pick<Tools, 'inventory'>): Promise<Check[]> {
  const { act, user, project, entry, object, own, panel } = at
  const { endpoint } = act
  const byRoles = isAllowedByRoles(at)
  const grants = entry.effective && grantsInSession(own ?? { read_only: false, panel }, entry.effective)
  const isPermitted = grants !== null && mayCall(grants, endpoint.needs)
  const isElsewhere = !isServedAt(panel, endpoint)

  const checks: Check[] = []
  const add = (code: CheckCode, passed: boolean | null, message: string, data: Record<string, unknown> = {}) =>
    void checks.push({ code, passed, message, data })
  // a hint about the other panel only helps users with a role that allows the call
  if (isElsewhere && byRoles) add('panel', false, 'This action is available only in the admin panel')
  if (endpoint.needs !== 'public') {
    for (const barrier of barriersOf(user, project)) add(barrier, ...entryCheck(barrier, entry))
    if (own?.read_only)
      add('token', isPermitted || isElsewhere || !byRoles, 'The token of this call is read-only', {
        read_only: true,
      })
    if (typeof endpoint.needs === 'object') {
      const { resource, ability } = endpoint.needs
      const words = byRoles ? 'A role allows this' : 'No role allows this'
      add('permission', byRoles, `${words}. It needs the ability "${ability}" for ${resource}`, { resource, ability })
    }
  }
  const scope = entry.effective && scopeOf(entry, user)
  if (object && act.kind) {
    const isSeen = scope !== null && (await inventory.several(act.kind, scope, [object.id])).length > 0
    add('object_visible', isSeen, isSeen ? 'The object is visible' : 'The object is not visible', {
      kind: act.kind.name,
    })
    if (scope) checks.push(...rulesOf(act.name, scope, object, user.id))
  }
  const quotas = quotaNames.filter((name) => allQuotas[name].of === act.kind?.name)
  if (act.name.endsWith('.create') && quotas.length > 0)
    add('quota', null, 'The quotas of the project can still prevent this', { quotas })
  return checks
}

/** Whether the user's roles in the project allow the call, regardless of all other checks. */
const isAllowedByRoles = ({ entry, act }: Pick<Case, 'entry' | 'act'>): boolean =>
  entry.effective !== null && mayCall(grantsFor(entry.effective), act.endpoint.needs)

export const isAllowed = (checks: readonly Check[]): boolean => checks.every(({ passed }) => passed !== false)

/**
 * Lists the user's roles that apply in the project, and whether each one allows the call. Group names are shown only if
 * the caller may read groups.
 */
export function rolesHeld(
  { act: { endpoint }, user, project, entry }: Pick<Case, 'act' | 'user' | 'project' | 'entry'>,
  row: User | undefined,
  caller: Pick<SignedIn, 'grants'>,
): HeldRole[] {
  const where = { place: { project, adminProjectId: entry.effective?.project_id ?? '' }, needs: endpoint.needs }
  const given = givenRoles(user, row)
  const mayReadGroups = mayCall(caller.grants, { resource: 'domain_groups', ability: 'read' })
  return given
    .filter(({ project_id }) => project_id === null || project_id === project?.id)
    .map((one) => ({
      role: one.role,
      given_in: one.project_id !== null ? 'project' : isOfDomain(one.role) ? 'domain' : 'system',
      group: one.group && { id: one.group.id, name: mayReadGroups ? one.group.name : null },
      allows: typeof endpoint.needs === 'object' && grantsCall(user, given, one, where),
    }))
}

/**
 * Explains why a user may or may not make a call, using the same functions that authorize calls. Throws `not_found` for
 * a user whom the caller does not administer, and for a project or object that the caller cannot see.
 */
export async function explain(caller: SignedIn, question: Question, tools: Tools): Promise<Explanation> {
  const act = actOf(question.call)
  const { endpoint } = act
  const { user, row, isOneself } = await subjectOf(caller, question.user_id, tools)
  const project = question.project_id === undefined ? null : await projectFor(caller, question.project_id, tools)
  const entry = await entryOf(tools.identity, user, project?.id ?? null)
  const object = await objectFor(caller, act, project, question.object_id, tools)
  const at: Case = { act, user, project, entry, object, own: isOneself ? caller : null, panel: caller.panel }
  const checks = await checksOf(at, tools)
  const place = { project, adminProjectId: entry.effective?.project_id ?? '' }
  return {
    user: { id: user.id, name: user.name },
    call: { name: act.name, verb: endpoint.verb, path: endpoint.path, summary: summaryOf(endpoint) },
    scope: {
      kind: entry.effective?.kind ?? (project ? 'project' : 'none'),
      project: project && { id: project.id, name: project.name },
    },
    allowed: isAllowed(checks),
    checks,
    roles: rolesHeld(at, row, caller),
    would_allow: isAllowedByRoles(at) ? [] : rolesThatWouldAllow(user, place, endpoint.needs),
  }
}

const domainRoles: readonly Role[] = ['domain_admin', 'image_upload', 'quota_manager']
const isOfDomain = (role: Role): boolean => domainRoles.includes(role)

/** Finds the user of a question: the caller, or a user in a domain that the caller can see. */
async function subjectOf(caller: SignedIn, userId: string | undefined, { identity, inventory }: Tools) {
  if (userId === undefined || userId === caller.user.id) {
    const row = (await inventory.rowsOf(userKind, [caller.user.id])).get(caller.user.id) as User | undefined
    // a project-bound token has fewer rights than its owner
    return { user: caller.user, row: caller.bound_project_id === null ? row : undefined, isOneself: true }
  }
  const { resource, ability } = { resource: userKind.permissions.item, ability: 'read' as const }
  if (!mayCall(caller.grants, { resource, ability })) throw notFound()
  const row = await inventory.view<User>(userKind, caller.scope, userId)
  const user = await identity.user(row.id)
  if (!user) throw notFound()
  return { user, row, isOneself: false }
}

/** Returns a project if the caller may enter it or can see it in a domain. Otherwise throws `not_found`. */
export async function projectFor(caller: SignedIn, projectId: string, tools: Tools): Promise<ProjectRecord> {
  const project = await tools.identity.project(projectId)
  if (!project) throw notFound()
  if (rolesInProject(caller.user, project).length > 0) return project
  if (!mayCall(caller.grants, { resource: projectKind.permissions.item, ability: 'read' })) throw notFound()
  await tools.inventory.view(projectKind, caller.scope, projectId)
  return project
}

/** Returns the object of a call if the caller may read it in the current scope or in the given project. */
export async function objectFor(
  caller: SignedIn,
  { kind, endpoint }: Act,
  project: ProjectRecord | null,
  objectId: string | undefined,
  { inventory }: Tools,
): Promise<Entity | null> {
  if (objectId === undefined) return null
  if (!kind || !endpoint.path.includes('/:id')) throw fieldProblem('object_id', 'core.call_without_object')
  const there = project && effectiveRolesInProject(caller.user, project)
  const scopes = [
    { scope: caller.scope, grants: caller.grants },
    ...(there ? [{ scope: { ...caller.scope, ...there }, grants: grantsInSession(caller, there) }] : []),
  ]
  for (const { scope, grants } of scopes) {
    if (!mayCall(grants, { resource: kind.permissions.item, ability: 'read' })) continue
    const [row] = await inventory.several(kind, scope, [objectId])
    if (row) return row
  }
  throw notFound()
}

const scopeOf = ({ effective }: Entry, user: UserRecord): Scope => ({
  ...effective!,
  ...{ user_id: user.id, user_name: user.name, request_id: 'explanation' },
})

/** Conditions for entering the scope. Conditions that concern a project apply only if a project is given. */
const barriersOf = (user: UserRecord, project: ProjectRecord | null): Barrier[] => [
  'user_enabled',
  'domain_enabled',
  ...(project ? (['project_entered', 'project_enabled'] as const) : []),
  ...(project && project.domain_id !== user.domain_id ? (['project_domain_enabled'] as const) : []),
]

const entryWords: Record<Barrier, readonly [holds: string, fails: string]> = {
  user_enabled: ['The user is enabled', 'The user is disabled'],
  domain_enabled: ['The domain of the user is enabled', 'The domain of the user is disabled'],
  project_entered: ['The user has a role in the project', 'The user has no role in the project'],
  project_enabled: ['The project is enabled', 'The project is disabled'],
  project_domain_enabled: ['The domain of the project is enabled', 'The domain of the project is disabled'],
}
function entryCheck(barrier: Barrier, { barriers }: Entry): [passed: boolean, message: string] {
  const passed = !barriers.includes(barrier)
  return [passed, entryWords[barrier][passed ? 0 : 1]]
}
