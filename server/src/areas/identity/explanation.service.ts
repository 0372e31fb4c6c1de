import { allQuotas, quotaNames } from '@mainstay/contract/compute/all-quotas'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { badField, notFound, Problem } from '@mainstay/contract/core/problems'
import type { Check, CheckCode, Explanation } from '@mainstay/contract/identity/explanations'
import type { Group } from '@mainstay/contract/identity/groups'
import { projectKind } from '@mainstay/contract/identity/projects'
import { refuseAboveOneself, refuseFederated, refuseLockOut } from '@mainstay/contract/identity/user-rules'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { Role } from '@mainstay/contract/permissions'
import { resourceList } from '@mainstay/contract/resources'
import type { ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { entryOf, type Barrier, type Entry } from '../../session/entry'
import { givenRoles, isWhatAllows, rolesThatWouldAllow } from '../../session/held-roles'
import { effectiveRolesInProject, grantsFor, rolesInProject } from '../../session/scopes'
import { grantsInSession, mayCall, type SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** What is asked: may this user make this call there, of this object? */
export interface Question {
  call: string
  user_id?: string | undefined
  project_id?: string | undefined
  object_id?: string | undefined
}

interface Act {
  name: string
  endpoint: Endpoint
  kind: Kind | undefined
}

/** Of the contract, by its name in the OpenAPI document: `volumes.delete`. */
function actOf(name: string): Act {
  const [resource = '', called = ''] = name.split('.')
  const found = resourceList.find(([known]) => known === resource)?.[1]
  const endpoint = found && Object.hasOwn(found.calls, called) ? found.calls[called] : undefined
  if (!found || !endpoint) throw badField('call', 'There is no such call')
  return { name, endpoint, kind: found.kind }
}

/**
 * Why a user may make a call, or may not: by the functions that decide on calls. Throws `not_found` for a user whom the
 * caller does not administer, and for a project or an object that the caller may not see.
 */
export async function explain(caller: SignedIn, question: Question, tools: Tools): Promise<Explanation> {
  const { identity } = tools
  const act = actOf(question.call)
  const { endpoint } = act
  const { user, row, isOneself } = await subjectOf(caller, question.user_id, tools)
  const project = question.project_id === undefined ? null : await projectFor(caller, question.project_id, tools)
  const entry = await entryOf(identity, user, project?.id ?? null)
  const object = await objectFor(caller, act, project, question.object_id, tools)
  const session = isOneself ? caller : { read_only: false }
  const grants = entry.effective && grantsInSession(session, entry.effective)
  const byRoles = entry.effective !== null && mayCall(grantsFor(entry.effective), endpoint.needs)
  const isPermitted = grants !== null && mayCall(grants, endpoint.needs)

  const checks: Check[] = []
  const add = (code: CheckCode, passed: boolean | null, message: string, data: Record<string, unknown> = {}) =>
    void checks.push({ code, passed, message, data })
  if (endpoint.needs !== 'public') {
    for (const barrier of barriersOf(user, project)) add(barrier, ...entryCheck(barrier, entry))
    if (isOneself && caller.read_only)
      add('token', isPermitted || !byRoles, 'The token of this call only reads', { read_only: true })
    if (typeof endpoint.needs === 'object') {
      const { resource, ability } = endpoint.needs
      const words = byRoles ? 'A role allows it' : 'No role allows it'
      add('permission', byRoles, `${words}: it needs "${ability}" of ${resource}`, { resource, ability })
    }
  }
  const scope = entry.effective && scopeOf(entry, user)
  if (object && act.kind) {
    const isSeen = scope !== null && (await tools.inventory.several(act.kind, scope, [object.id])).length > 0
    add('object_visible', isSeen, isSeen ? 'The object is within reach' : 'The object is out of reach there', {
      kind: act.kind.name,
    })
    if (scope) checks.push(...rulesOf(act, scope, object, user))
  }
  const quotas = quotaNames.filter((name) => allQuotas[name].of === act.kind?.name)
  if (act.name.endsWith('.create') && quotas.length > 0)
    add('quota', null, 'Quotas of the project are no permission, and may still refuse it', { quotas })

  const place = { project, adminProjectId: entry.effective?.project_id ?? '' }
  const where = { place, needs: endpoint.needs }
  const given = givenRoles(user, row)
  const mayReadGroups = mayCall(caller.grants, { resource: 'domain_groups', ability: 'read' })
  return {
    user: { id: user.id, name: user.name },
    call: { name: act.name, verb: endpoint.verb, path: endpoint.path, summary: endpoint.summary },
    scope: {
      kind: entry.effective?.kind ?? (project ? 'project' : 'none'),
      project: project && { id: project.id, name: project.name },
    },
    allowed: checks.every(({ passed }) => passed !== false),
    checks,
    roles: given
      .filter(({ project_id }) => project_id === null || project_id === project?.id)
      .map((one) => ({
        role: one.role,
        given_in: one.project_id !== null ? 'project' : isOfDomain(one.role) ? 'domain' : 'system',
        group: one.group && { id: one.group.id, name: mayReadGroups ? one.group.name : null },
        allows: typeof endpoint.needs === 'object' && isWhatAllows(user, given, one, where),
      })),
    would_allow: byRoles ? [] : rolesThatWouldAllow(user, place, endpoint.needs),
  }
}

const domainRoles: readonly Role[] = ['domain_admin', 'image_upload', 'quota_manager']
const isOfDomain = (role: Role): boolean => domainRoles.includes(role)

/** Oneself, or a user whom the caller may see among those of a domain. */
async function subjectOf(caller: SignedIn, userId: string | undefined, { identity, inventory }: Tools) {
  if (userId === undefined || userId === caller.user.id) {
    const row = (await inventory.rowsOf(userKind, [caller.user.id])).get(caller.user.id) as User | undefined
    // a token that is bound has less than its owner
    return { user: caller.user, row: caller.bound_project_id === null ? row : undefined, isOneself: true }
  }
  const { resource, ability } = { resource: userKind.permissions.item, ability: 'read' as const }
  if (!mayCall(caller.grants, { resource, ability })) throw notFound()
  const row = await inventory.view<User>(userKind, caller.scope, userId)
  const user = await identity.user(row.id)
  if (!user) throw notFound()
  return { user, row, isOneself: false }
}

/** A project that the caller may enter, or sees among those of a domain. */
async function projectFor(caller: SignedIn, projectId: string, tools: Tools): Promise<ProjectRecord> {
  const project = await tools.identity.project(projectId)
  if (!project) throw notFound()
  if (rolesInProject(caller.user, project).length > 0) return project
  if (!mayCall(caller.grants, { resource: projectKind.permissions.item, ability: 'read' })) throw notFound()
  await tools.inventory.view(projectKind, caller.scope, projectId)
  return project
}

/** The object of the call as the caller may read it: where they act now, or in the project that is asked about. */
async function objectFor(
  caller: SignedIn,
  { kind, endpoint }: Act,
  project: ProjectRecord | null,
  objectId: string | undefined,
  { inventory }: Tools,
): Promise<Entity | null> {
  if (objectId === undefined) return null
  if (!kind || !endpoint.path.includes('/:id')) throw badField('object_id', 'This call is about no object')
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

/** What is said of the way in: of a project only where there is one. */
const barriersOf = (user: UserRecord, project: ProjectRecord | null): Barrier[] => [
  'user_enabled',
  'domain_enabled',
  ...(project ? (['project_entered', 'project_enabled'] as const) : []),
  ...(project && project.domain_id !== user.domain_id ? (['project_domain_enabled'] as const) : []),
]

const entryWords: Record<Barrier, readonly [holds: string, fails: string]> = {
  user_enabled: ['The user is enabled', 'The user is disabled'],
  domain_enabled: ['The domain of the user is enabled', 'The domain of the user is disabled'],
  project_entered: ['The user may enter the project', 'The user has no role in the project'],
  project_enabled: ['The project is enabled', 'The project is disabled'],
  project_domain_enabled: ['The domain of the project is enabled', 'The domain of the project is disabled'],
}
function entryCheck(barrier: Barrier, { barriers }: Entry): [passed: boolean, message: string] {
  const passed = !barriers.includes(barrier)
  return [passed, entryWords[barrier][passed ? 0 : 1]]
}

/** Rules of who there is, which hold whatever roles one has. */
function rulesOf({ name }: Act, scope: Scope, object: Entity, user: UserRecord): Check[] {
  const tried: [rule: () => void, always: boolean][] = []
  if (/^users\.(update|replace|delete)$/.test(name)) {
    const row = object as unknown as User
    const whom = {
      id: row.id,
      identity_provider: row.identity_provider,
      roles: [...row.system_permissions, ...row.domain_permissions],
      roles_of_groups: row.groups.flatMap((group) => group.system_permissions),
    }
    const isDeleting = name === 'users.delete'
    tried.push([() => refuseAboveOneself(scope, whom), true])
    tried.push([() => refuseLockOut(scope, whom, isDeleting ? 'deleted' : 'disabled'), isDeleting])
    if (!isDeleting) tried.push([() => refuseFederated(whom, { name: '', password: '' }), false])
  }
  if (/^groups\.(update|delete|addMembers|removeMembers)$/.test(name)) {
    const { system_permissions: roles } = object as unknown as Group
    tried.push([() => refuseAboveOneself(scope, { roles }, 'group'), true])
  }
  return tried.flatMap(([rule, always]) => {
    try {
      rule()
      return []
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const data = { err_code: error.code, fields: Object.keys(error.fields), user_id: user.id }
      // the others depend on what is changed
      return [{ code: 'rule' as const, passed: always ? false : null, message: error.message, data }]
    }
  })
}
