import type { DomainRecord, IdentityPort, ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import { effectiveRolesInProject, effectiveRolesWithoutProject, type EffectiveRoles } from './scopes'

/** Requirements for acting in a scope, in the order in which they are checked. */
export type Barrier =
  | 'user_enabled'
  | 'domain_enabled'
  | 'project_entered'
  | 'project_enabled'
  | 'project_domain_enabled'

/** The result of checking whether a user can enter a project or work without one. */
export interface Entry {
  /** The user's own domain; null if it no longer exists. */
  domain: DomainRecord | null
  /** The project to enter; null if none was requested or it does not exist. */
  project: ProjectRecord | null
  /** Roles of the user in the project; null if the user may not enter the project. */
  effective: EffectiveRoles | null
  /** Requirements that are not met. If a call is refused, the first one is given as the reason. */
  barriers: Barrier[]
}

/**
 * Checks whether a user can enter a project, and with which roles. Used both to decide on calls and to explain
 * refusals.
 */
export async function entryOf(
  identity: Pick<IdentityPort, 'domain' | 'project' | 'adminProjectId'>,
  user: UserRecord,
  projectId: string | null,
): Promise<Entry> {
  const [domain, project, adminProjectId] = await Promise.all([
    identity.domain(user.domain_id),
    projectId === null ? null : identity.project(projectId),
    projectId === null ? identity.adminProjectId() : '',
  ])
  const isAway = project !== null && project.domain_id !== user.domain_id
  const domainOfProject = isAway ? await identity.domain(project.domain_id) : domain
  const effective = project
    ? effectiveRolesInProject(user, project)
    : projectId === null
      ? effectiveRolesWithoutProject(user, adminProjectId)
      : null
  const holds: Record<Barrier, boolean> = {
    user_enabled: user.enabled,
    domain_enabled: domain?.enabled ?? false,
    project_entered: effective !== null,
    project_enabled: project?.enabled ?? true,
    project_domain_enabled: !isAway || (domainOfProject?.enabled ?? false),
  }
  const barriers = (Object.keys(holds) as Barrier[]).filter((barrier) => !holds[barrier])
  return { domain, project, effective, barriers }
}
