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

/** Who calls, and what they may do where. */
export interface SignedIn {
  session_id: string
  /** With the rights that count at the port that was called. */
  user: UserRecord
  domain: DomainRecord
  /** The project acted in; null without one, also in a system scope. */
  project: ProjectRecord | null
  /** Id of the identity provider of this sign-in; null for a password. */
  external_provider: string | null
  /** The only project that the session may enter; null where it may enter what its user may. */
  bound_project_id: string | null
  /** By a token for programs, and not by signing in. */
  is_for_programs: boolean
  /** Whatever the user may, this session only reads. */
  read_only: boolean
  /** Whether its identity provider can be told that the user signs out. */
  signs_out: boolean
  /** The port that was called. */
  panel: Panel
  /** Why the user's system permissions do not count here, in words; null where they count, or there are none. */
  withheld: string | null
  scope: Scope
  grants: Grants
  /** Opens the session's credential; goes with the tokens and tickets that are made for the session. */
  credential_key: Secret | null
}

/** The user of a session, wherever they act, with its credential. */
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

/** Whether grants are enough for a call, as far as rights go: what routes ask, and what explains their answer. */
export const mayCall = (grants: Grants, needs: Access): boolean =>
  typeof needs !== 'object' || grantsAllow(grants, needs.resource, needs.ability)

/** The refusal of a call for which grants are not enough. */
export const refusedFor = ({ withheld }: Pick<SignedIn, 'withheld'>): Problem =>
  withheld === null ? problem('core.forbidden') : problem('core.forbidden_because', { reason: withheld })

/**
 * The user as they count at a port. `operatorsElsewhere`: the words for operators where system permissions count at the admin port
 * alone; null where they count at both. Whatever a call, a socket, a console or a run may do follows from this user.
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

/** What roles let a session do at its port; the session may be one that only reads. */
export function grantsInSession(
  { read_only, panel }: Pick<SignedIn, 'read_only' | 'panel'>,
  effective: Pick<EffectiveRoles, 'kind' | 'roles'>,
): Grants {
  const grants = grantsAt(panel, grantsFor(effective))
  return read_only ? onlyReading(grants) : grants
}

/** The user with the rights that a restricted sign-in leaves: those that both have in its one project, and none elsewhere. */
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
 * The holder of a session in a project, or without one. Throws `access_disabled`; what `onMissing` says where there
 * is no such project, or the user may not enter it.
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
  // an operator who is nobody else here, or wants into a project that only operators may enter
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
