import { fieldProblem } from '@mainstay/contract/core/problems'
import { HOLDERS_ON_PAGE, type GrantingRole, type Holder, type Holders } from '@mainstay/contract/identity/explanations'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { BUILT_IN } from '@mainstay/contract/identity/user-roles'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { IdentityPort, ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import { entryOf } from '../../../session/entry'
import { rolesThatWouldAllow } from '../../../session/held-roles'
import { effectiveRolesInProject, effectiveRolesWithoutProject, grantsFor } from '../../../session/scopes'
import { mayCall, type SignedIn } from '../../../session/signed-in'
import type { Tools } from '../../../tools'
import {
  actOf,
  checksOf,
  isAllowed,
  objectFor,
  projectFor,
  rolesHeld,
  type Act,
  type Question,
} from './explanation.service'

/** Maximum number of users checked per request. If they do not fill a page, the next request continues after them. */
const MOST_LOOKED_AT = 1000
const AT_ONCE = 100

/** Roles with permissions beyond the user's own projects. */
const acting = ['system_admin', 'viewer', 'custom', 'domain_admin'] as const satisfies readonly User['role'][]
const isActing = ({ role }: User) => (acting as readonly string[]).includes(role)

/** List filters that together find all users who could have the permission. They are queried one after the other. */
function sortsOf({ endpoint: { needs } }: Act, project: ProjectRecord | null): Record<string, string>[] {
  // all users have permissions on their own account
  if (!project && mayCall(grantsFor({ kind: 'none', roles: ['project_member'] }), needs)) return [{}]
  return [{ role: `in:${acting.join(',')}` }, ...(project ? [{ project_id: `in:${project.id}` }] : [])]
}

/** Builds a user record from the user's row in the index. */
const recordOf = (row: User): UserRecord => {
  const { system_permissions, domain_permissions, assigned_projects } = rightsOf(row)
  return {
    ...{ id: row.id, name: row.name, domain_id: row.domain_id, email: row.email, enabled: row.enabled },
    is_superuser: system_permissions.includes(BUILT_IN),
    roles: [...system_permissions, ...domain_permissions],
    assigned_projects: assigned_projects as UserRecord['assigned_projects'],
    identity_provider: row.identity_provider,
  }
}

/** Returns an identity port that caches domains and projects. */
function remembered({
  identity,
}: Pick<Tools, 'identity'>): Pick<IdentityPort, 'domain' | 'project' | 'adminProjectId'> {
  const domains = new Map<string, ReturnType<IdentityPort['domain']>>()
  const projects = new Map<string, ReturnType<IdentityPort['project']>>()
  let admin: Promise<string> | undefined
  const once = <Answer>(known: Map<string, Answer>, id: string, ask: () => Answer): Answer => {
    const answer = known.get(id) ?? ask()
    known.set(id, answer)
    return answer
  }
  return {
    domain: (id) => once(domains, id, () => identity.domain(id)),
    project: (id) => once(projects, id, () => identity.project(id)),
    adminProjectId: () => (admin ??= identity.adminProjectId()),
  }
}

/**
 * Lists, page by page, the users visible to the caller for whom `explain` allows the call. Throws the same errors as
 * `explain`, and a `validation` error for calls that every signed-in user may make.
 */
export async function holdersOf(
  caller: SignedIn,
  { marker, ...question }: Omit<Question, 'user_id'> & { marker?: string | undefined },
  tools: Tools,
): Promise<Holders> {
  const act = actOf(question.call)
  const { needs } = act.endpoint
  if (typeof needs !== 'object') throw fieldProblem('call', 'identity.everyone_may')
  const project = question.project_id === undefined ? null : await projectFor(caller, question.project_id, tools)
  const object = await objectFor(caller, act, project, question.object_id, tools)
  const identity = remembered(tools)
  const adminProjectId = project ? '' : await identity.adminProjectId()

  const mightBe = (row: User): boolean => {
    const user = recordOf(row)
    const effective = project
      ? effectiveRolesInProject(user, project)
      : effectiveRolesWithoutProject(user, adminProjectId)
    return user.enabled && effective !== null && mayCall(grantsFor(effective), needs)
  }
  async function holderOf(row: User): Promise<Holder[]> {
    const user = await tools.identity.user(row.id)
    if (!user) return []
    const entry = await entryOf(identity, user, project?.id ?? null)
    const at = { act, user, project, entry, object, own: null, panel: caller.panel }
    if (!isAllowed(await checksOf(at, tools))) return []
    const roles = rolesHeld(at, row, caller).filter(({ allows }) => allows)
    return [{ id: user.id, name: user.name, domain_id: user.domain_id, roles }]
  }

  const sorts = sortsOf(act, project)
  const data: Holder[] = []
  let [sort, after] = placeOf(marker, sorts.length)
  for (let looked = 0; sort < sorts.length && looked < MOST_LOOKED_AT;) {
    const query = { ...sorts[sort], sort: 'name:asc', limit: AT_ONCE, ...(after !== undefined && { marker: after }) }
    const page = await tools.inventory.list<User>(userKind, caller.scope, query)
    for (const row of page.data) {
      looked += 1
      after = row.id
      // skip users that the first filter has already found
      if ((sort > 0 && isActing(row)) || !mightBe(row)) continue
      data.push(...(await holderOf(row)))
      if (data.length === HOLDERS_ON_PAGE) break
    }
    if (data.length === HOLDERS_ON_PAGE) break
    if (page.pages.length === 0) [sort, after] = [sort + 1, undefined]
  }
  return {
    data,
    roles: rolesThatAllow(caller, project, adminProjectId, act),
    next: sort < sorts.length ? `${sort}.${after ?? ''}` : null,
  }
}

function placeOf(marker: string | undefined, sorts: number): [sort: number, after: string | undefined] {
  if (marker === undefined) return [0, undefined]
  const [, sort, after] = /^(\d)\.(.*)$/s.exec(marker) ?? []
  if (after === undefined || Number(sort) >= sorts) throw fieldProblem('marker', 'core.marker_of_no_page')
  return [Number(sort), after === '' ? undefined : after]
}

/** Roles that allow the call. System roles are included only for system scopes, which can assign them. */
function rolesThatAllow(
  { scope, user }: SignedIn,
  project: ProjectRecord | null,
  adminProjectId: string,
  { endpoint }: Act,
): GrantingRole[] {
  const of = (domain_id: string) =>
    rolesThatWouldAllow(
      { ...user, domain_id, is_superuser: false, roles: [], assigned_projects: [] },
      { project, adminProjectId },
      endpoint.needs,
    )
  const all = [
    ...of(project?.domain_id ?? scope.domain_id).filter(({ given_in }) => given_in !== 'system'),
    ...(scope.kind === 'system' ? of('default').filter(({ given_in }) => given_in === 'system') : []),
  ]
  return all
}
