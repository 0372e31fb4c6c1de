import { grantsOf } from '@mainstay/contract/permissions'
import type { IdentityPort, UserRecord } from '../ports/identity'

/** How long the status of a user is cached, in milliseconds. */
const KNOWN_FOR_MS = 1000
const MOST_KNOWN = 10_000

/**
 * Whether a user's keys are valid: the user and their domain exist and are enabled, and the user may use object
 * storage.
 */
export type IsActive = (userId: string) => Promise<boolean>

type Identity = Pick<IdentityPort, 'user' | 'domain' | 'project'>

/**
 * Whether a user may use object storage in at least one project: through a role in an enabled project, or as an
 * administrator, who may enter projects without being assigned to them.
 */
export async function mayUseS3(identity: Pick<Identity, 'project' | 'domain'>, user: UserRecord): Promise<boolean> {
  const { is_superuser, roles, assigned_projects } = user
  const enters = ['admin', 'superuser', 'system_admin', 'compute', 'domain_admin'] as const
  if (is_superuser || enters.some((role) => roles.includes(role))) return true
  const ids = assigned_projects.flatMap(({ project_id, role }) =>
    grantsOf([role], 'project').s3_enable === undefined ? [] : [project_id],
  )
  for (const id of new Set(ids)) {
    const project = await identity.project(id)
    if (project?.enabled && (await identity.domain(project.domain_id))?.enabled) return true
  }
  return false
}

/**
 * Creates a check that looks up each user at most once per second. `identity` is a function, because the service is
 * available only after all engines are open. `hasRight`: an additional condition for enabled users.
 */
export function createUserCheck(
  identity: () => Identity,
  hasRight: (identity: Identity, user: UserRecord) => Promise<boolean> = () => Promise.resolve(true),
): IsActive {
  const known = new Map<string, { until: number; active: Promise<boolean> }>()

  async function look(userId: string): Promise<boolean> {
    const user = await identity().user(userId)
    if (!user?.enabled || !(await identity().domain(user.domain_id))?.enabled) return false
    return hasRight(identity(), user)
  }

  return (userId) => {
    const before = known.get(userId)
    if (before && before.until > performance.now()) return before.active
    const active = look(userId)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(userId, { until: performance.now() + KNOWN_FOR_MS, active })
    // failures are not cached
    active.catch(() => known.delete(userId))
    return active
  }
}
