import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import type { Role } from '@mainstay/contract/permissions'
import type { DirectoryPort } from './directory'
import type { DirectoryImportsPort } from './directory-imports'
import type { FederationPort } from './federation'
import type { Secret } from './secret'

export interface DomainRecord {
  id: string
  name: string
  enabled: boolean
}
export interface ProjectRecord {
  id: string
  name: string
  description: string
  domain_id: string
  enabled: boolean
  /** It holds what system scopes make: no tenant's, whoever administers its domain. */
  is_reserved?: boolean
}
export interface UserRecord {
  id: string
  name: string
  domain_id: string
  email: string | null
  enabled: boolean
  is_superuser: boolean
  /** Roles that hold everywhere in their reach: system roles, `domain_admin`, the flags. */
  roles: Role[]
  /** Roles by project. */
  assigned_projects: { project_id: string; role: Role }[]
  /** Null for a local user. */
  identity_provider: string | null
  /** They have to choose another password before they go on. */
  must_change_password?: boolean
}

/** A system administrator, and a domain's, may enter every project of the domain. */
export const entersWholeDomain = ({ is_superuser, roles }: UserRecord): boolean =>
  is_superuser || (['admin', 'superuser', 'domain_admin'] as Role[]).some((role) => roles.includes(role))

/** Limits a session to one project, and to these roles in it, whatever else its user may do. */
export interface SessionRestriction extends Pick<UserRecord, 'roles' | 'assigned_projects'> {
  project_id: string
}

/** An application credential, by its id or by its name and whose it is. */
export type ApplicationRef = { id: string } | { name: string; username: string; domainName: string }

/** An authenticated user. */
export interface Authenticated {
  user: UserRecord
  /** The user's token of the cloud behind the engine; null for an engine without a cloud. */
  credential: Secret | null
  /** When the credential ends, and the session that holds it with it. */
  expires_at: Date | null
  /** Null where they may act wherever the user may. */
  bound: SessionRestriction | null
  /** Where a browser goes to sign out at the identity provider; nothing where it knows none. */
  sign_out?: Secret | null
}

/** Sign-in through identity providers: the cloud behind the engine asks them, and hands over who it is. */
export interface HandOverPort {
  /** Providers that are open now; those known last while the cloud is away. */
  providers(): Promise<IdentityProvider[]>
  /**
   * Where a browser goes to sign in through a provider; it comes back to `landing` with a token in a form. Throws
   * `not_found` for a provider that is not open.
   */
  begin(providerId: string, landing: string): Promise<string>
  /** The origin of the page whose form brings the token. Throws `engine_unavailable` where it is not known. */
  origin(): Promise<string>
  /** Whose token it is; null for one that no sign-in through this provider has just brought. */
  accept(providerId: string, token: Secret): Promise<Authenticated | null>
}

/**
 * Who there is. With a cloud behind it, look-ups go on from what was known last while the cloud is away; what only the
 * cloud can do throws `engine_unavailable` then.
 */
export interface IdentityPort {
  /** The user whose name, password and domain these are, also a disabled one; null otherwise, after the same time. */
  authenticate(username: string, password: string, domainName: string): Promise<Authenticated | null>
  /** The same by an application credential. Throws `unsupported` where the engine knows none. */
  authenticateApplication(credential: ApplicationRef, secret: Secret): Promise<Authenticated | null>
  /** Null where there are no identity providers beside this engine. */
  handOver: HandOverPort | null
  /** Null where the engine asks no identity providers itself. */
  federation: FederationPort | null
  /** Null where users and projects are administered elsewhere. */
  directory: DirectoryPort | null
  /** Null where nobody is imported from a directory outside: a cloud asks it itself. */
  imports: DirectoryImportsPort | null
  user(id: string): Promise<UserRecord | null>
  domain(id: string): Promise<DomainRecord | null>
  project(id: string): Promise<ProjectRecord | null>
  /** Projects that the user may enter, disabled ones too, by name: those assigned; all of the domain for its administrator. */
  projectsOf(user: UserRecord): Promise<(ProjectRecord & { domain_name: string })[]>
  /**
   * Null when the current password is wrong. What is answered otherwise takes the place of what an earlier sign-in
   * answered: that may be worth nothing now.
   */
  changePassword(userId: string, current: string, next: string): Promise<Authenticated | null>
  /**
   * Gives a password to a user who has to change theirs, and proved the one before. Throws `validation` for the same password.
   * Only of engines whose users may have to.
   */
  renewPassword?(userId: string, next: string): Promise<void>
  /** The project in which a system scope makes things. */
  adminProjectId(): Promise<string>
  createDomain(draft: { name: string; enabled?: boolean }): Promise<DomainRecord>
  createProject(draft: {
    name: string
    domain_id: string
    description?: string
    enabled?: boolean
  }): Promise<ProjectRecord>
  createUser(draft: {
    name: string
    domain_id: string
    password: string
    email?: string | null
    is_superuser?: boolean
    roles?: Role[]
    assigned_projects?: { project_id: string; role: Role }[]
  }): Promise<UserRecord>
  setEnabled(kind: 'user' | 'project' | 'domain', id: string, enabled: boolean): Promise<void>
  /**
   * Hears that rights were changed, here or at another server: of a user, of everybody in a project, or (null) of many. What
   * was remembered of them is asked for anew. Absent where nothing is remembered.
   */
  rightsChanged?(of: { kind: 'user' | 'project'; id: string } | null): void
}

declare module './area-ports' {
  interface OwnPorts {
    identity: IdentityPort
  }
}
