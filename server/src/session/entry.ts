import type { DomainRecord, IdentityPort, ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import { effectiveRolesInProject, effectiveRolesWithoutProject, type EffectiveRoles } from './scopes'

/** What everybody must be who acts somewhere, in the order in which it is looked at. */
export type Barrier =
  | 'user_enabled'
  | 'domain_enabled'
  | 'project_entered'
  | 'project_enabled'
  | 'project_domain_enabled'

/** How a user comes into a project, or in without one. */
export interface Entry {
  /** The user's own; null where it is gone. */
  domain: DomainRecord | null
  /** The one that is entered; null without one, and where there is none. */
  project: ProjectRecord | null
  /** Null for a project that the user may not enter. */
  effective: EffectiveRoles | null
  /** What keeps the user out; the first of them is what a call is refused for. */
  barriers: Barrier[]
}

/** Whether and as what a user comes in: what calls are let in by, and what explains why one is not. */
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
