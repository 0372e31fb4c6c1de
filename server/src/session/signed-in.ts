import type { Access } from '@mainstay/contract/core/endpoint'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import { grantsAt, type Panel } from '@mainstay/contract/panels'
import { onlyReading, type Grants } from '@mainstay/contract/permissions'
import type {
  SessionRestriction,
  DomainRecord,
  IdentityPort,
  ProjectRecord,
  UserRecord,
} from '@mainstay/engines/ports/identity'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { SessionCredential } from './credentials'
import { entryOf, type Barrier } from './entry'
import { grantsFor, withoutSystemRoles, type EffectiveRoles } from './scopes'

/** The caller with their scope and rights. */
export interface SignedIn {
  session_id: string
  /** The user with the rights that apply at the port of the call. */
  user: UserRecord
  domain: DomainRecord
  /** The project of the scope; null if there is none or in a system scope. */
  project: ProjectRecord | null
  /** ID of the identity provider used to sign in; null if the user signed in with a password. */
  external_provider: string | null
  /** The only project that the session may enter; null if it is not restricted. */
  bound_project_id: string | null
  /** Whether the session belongs to an API token. */
  is_for_programs: boolean
  /** Whether the session only allows reading, regardless of the user's rights. */
  read_only: boolean
  /** Whether the identity provider supports signing out. */
  signs_out: boolean
  /** The panel whose port was called. */
  panel: Panel
  /**
   * Message explaining why the user's system permissions do not apply here; null if they apply or the user has none.
   */
  withheld: string | null
  scope: Scope
  grants: Grants
  /** Opens the session's credential. Passed on to the session's tokens and tickets. */
  credential_key: Secret | null
}

/** The user of a session and its credential, independent of the project. */
export interface SessionSubject extends Pick<
  SignedIn,
  | 'session_id'
  | 'external_provider'
  | 'bound_project_id'
  | 'is_for_programs'
  | 'read_only'
  | 'signs_out'
  | 'panel'
  | 'withheld'
> {
  user: UserRecord
  held: SessionCredential
}

export const unauthorized = () => problem('identity.sign_in')
const disabled = (subject: 'user' | 'domain' | 'project') =>
  problem('identity.access_disabled', { subject }, { data: { subject } })

const subjectOf: Record<Exclude<Barrier, 'project_entered'>, 'user' | 'domain' | 'project'> = {
  user_enabled: 'user',
  domain_enabled: 'domain',
  project_enabled: 'project',
  project_domain_enabled: 'domain',
}

/** Whether grants allow a call. Used both by routes and to explain refusals. */
export const mayCall = (grants: Grants, needs: Access): boolean =>
  typeof needs !== 'object' || grantsAllow(grants, needs.resource, needs.ability)

/** The problem to report for a call that the grants do not allow. */
export const refusedFor = ({ withheld }: Pick<SignedIn, 'withheld'>): Problem =>
  withheld === null ? problem('core.forbidden') : problem('core.forbidden_because', { reason: withheld })

/**
 * The user with the rights that apply at a port. `operatorsElsewhere` is the message for operators if system
 * permissions apply only at the admin port, or null if they apply at both. Calls, sockets, consoles and runs all derive
 * their rights from this user.
 */
export function userAtPanel(
  panel: Panel,
  user: UserRecord,
  operatorsElsewhere: string | null = null,
): Pick<SignedIn, 'panel' | 'user' | 'withheld'> {
  if (panel === 'admin' || operatorsElsewhere === null) return { panel, user, withheld: null }
  const counted = withoutSystemRoles(user)
  const isOperator = user.is_superuser || counted.roles.length < user.roles.length
  return { panel, user: counted, withheld: isOperator ? operatorsElsewhere : null }
}

/** The grants that roles give in a session, limited by its panel and by read-only access. */
export function grantsInSession(
  { read_only, panel }: Pick<SignedIn, 'read_only' | 'panel'>,
  effective: Pick<EffectiveRoles, 'kind' | 'roles'>,
): Grants {
  const grants = grantsAt(panel, grantsFor(effective))
  return read_only ? onlyReading(grants) : grants
}

/**
 * The user with the limits of a restricted sign-in: in its only project, the rights that both have; elsewhere, none.
 */
export const restrictUser = (bound: SessionRestriction | null, user: UserRecord): UserRecord =>
  bound === null
    ? user
    : {
        ...user,
        is_superuser: false,
        roles: user.roles.filter((role) => bound.roles.includes(role)),
        assigned_projects: user.assigned_projects.filter(
          ({ project_id, role }) =>
            project_id === bound.project_id && bound.assigned_projects.some((it) => it.role === role),
        ),
      }

/**
 * The caller, in a project or without one. Throws `access_disabled`, or the problem from `onMissing` if the project
 * does not exist or the user may not enter it.
 */
export async function signedInAs(
  identity: IdentityPort,
  {
    session_id,
    external_provider,
    bound_project_id,
    is_for_programs,
    read_only,
    signs_out,
    panel,
    withheld,
    user,
    held,
  }: SessionSubject,
  projectId: string | null,
  requestId: string,
  onMissing: () => Problem,
): Promise<SignedIn> {
  const { domain, project, effective, barriers } = await entryOf(identity, user, projectId)
  if (!domain) throw unauthorized()
  const [barrier] = barriers
  if (barrier && barrier !== 'project_entered') throw disabled(subjectOf[barrier])
  // an operator who has no other rights or is entering a project that only operators may enter
  if (withheld !== null && (!effective || (effective.kind === 'none' && user.assigned_projects.length === 0)))
    throw refusedFor({ withheld })
  if (!effective) throw onMissing()
  const who = { user_id: user.id, user_name: user.name, request_id: requestId }
  return {
    session_id,
    user,
    domain,
    project,
    external_provider,
    bound_project_id,
    is_for_programs,
    read_only,
    signs_out,
    panel,
    withheld,
    scope: { ...effective, ...who, credential: held.credential },
    grants: grantsInSession({ read_only, panel }, effective),
    credential_key: held.key,
  }
}
