import type { Rights } from '@mainstay/contract/identity/rights'
import {
  domainPermissions,
  projectRoles,
  splitRoles,
  systemPermissions,
  type DomainPermission,
  type SystemPermission,
} from '@mainstay/contract/identity/user-roles'
import type { Role } from '@mainstay/contract/permissions'
import { assignmentsFor, rolesOf, type WireAssignment } from '../roles'
import type { Grant, RoleBook } from './grants'

/** Lists the projects of a domain, to which its inherited roles apply. */
export type ProjectsIn = (domainId: string) => Promise<readonly string[]>

/** Expands a grant to the assignments that Keystone would list with `effective`. */
async function effective({ role, place }: Grant, book: RoleBook, projectsIn: ProjectsIn): Promise<WireAssignment[]> {
  // Keystone does not expand system roles
  if (place.on === 'system') return [{ role, scope: { system: {} } }]
  const scopes: WireAssignment['scope'][] =
    place.on === 'project'
      ? [{ project: { id: place.id } }]
      : place.isInherited
        ? (await projectsIn(place.id)).map((id) => ({ project: { id } }))
        : [{ domain: { id: place.id } }]
  return book.namesOf(role.id).flatMap((name) => scopes.map((scope) => ({ role: { id: role.id, name }, scope })))
}

/**
 * Returns the permissions that result from grants, in terms of the contract. Each project has only the strongest role.
 */
export async function rightsOfGrants(
  grants: readonly Grant[],
  homeDomainId: string,
  book: RoleBook,
  projectsIn: ProjectsIn,
): Promise<Rights> {
  const assignments = await Promise.all(grants.map((grant) => effective(grant, book, projectsIn)))
  const { roles, assigned_projects } = rolesOf(assignments.flat(), homeDomainId)
  const byProject = new Map<string, string[]>()
  for (const { project_id, role } of assigned_projects)
    byProject.set(project_id, [...(byProject.get(project_id) ?? []), role])
  return {
    ...splitRoles(roles),
    assigned_projects: [...byProject].map(([project_id, has]) => ({
      project_id,
      role: projectRoles.find((role) => has.includes(role)) ?? has[0]!,
    })),
  }
}

/** A role to assign, by name. */
export interface Wanted {
  name: string
  place: Grant['place']
}
export interface RightsChange {
  system_permissions?: readonly SystemPermission[] | undefined
  domain_permissions?: readonly DomainPermission[] | undefined
  assigned_projects?: readonly { project_id: string; role: string }[] | undefined
}

/** Returns the contract roles that correspond to a grant. */
const meaningOf = (grant: Grant, homeDomainId: string) => {
  const { place, role } = grant
  const scope =
    place.on === 'system' ? { system: {} } : place.on === 'project' ? { project: place } : { domain: { id: place.id } }
  return rolesOf([{ role, scope }], homeDomainId)
}

/** Project roles that are assigned in addition to `member`. */
const beside: readonly string[] = ['project_admin', 'service_account']

/** Computes the roles to assign and to revoke for a change of permissions. */
export function changeOfGrants(
  before: readonly Grant[],
  change: RightsChange,
  where: { homeDomainId: string; adminProjectId: string; book: Pick<RoleBook, 'idOf'> },
): { give: Wanted[]; take: Grant[] } {
  const { homeDomainId, adminProjectId, book } = where
  /** Prefers the role `domain_admin` if the cloud has it, because `admin` on a domain grants more than is required. */
  const nameOn = (role: Role, name: string): string =>
    role === 'domain_admin' && book.idOf('domain_admin') !== undefined ? 'domain_admin' : name
  const own = before.filter(({ place }) => place.on !== 'domain' || !place.isInherited)
  const give: Wanted[] = []
  const take = new Set<Grant>()

  function setRoles<Word extends Role>(all: readonly Word[], wanted: readonly Word[]): void {
    const had = new Set<Role>()
    for (const grant of own)
      for (const role of meaningOf(grant, homeDomainId).roles) {
        if (!all.some((it) => it === role)) continue
        if (wanted.some((it) => it === role)) had.add(role)
        else take.add(grant)
      }
    for (const role of wanted.filter((it) => !had.has(it)))
      for (const { on, name } of assignmentsFor(role))
        give.push({
          name: nameOn(role, name),
          place:
            on === 'system'
              ? { on }
              : on === 'domain'
                ? { on, id: homeDomainId, isInherited: false }
                : { on: 'project', id: adminProjectId },
        })
  }

  if (change.system_permissions) setRoles(systemPermissions, change.system_permissions)
  if (change.domain_permissions) setRoles(domainPermissions, change.domain_permissions)
  for (const { project_id, role } of change.assigned_projects ?? []) {
    const here = own.filter(({ place }) => place.on === 'project' && place.id === project_id)
    if (role === 'none') for (const grant of here) take.add(grant)
    else {
      const names = beside.includes(role) ? ['member', role] : ['member']
      for (const name of names)
        if (!here.some((it) => it.role.name === name)) give.push({ name, place: { on: 'project', id: project_id } })
      for (const grant of here) if (beside.includes(grant.role.name) && grant.role.name !== role) take.add(grant)
    }
  }
  return { give, take: [...take] }
}
