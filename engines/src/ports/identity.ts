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
  /**
   * The project owns the objects created in system scopes. It is not a tenant, although its domain has administrators.
   */
  is_reserved?: boolean
}
export interface UserRecord {
  id: string
  name: string
  domain_id: string
  email: string | null
  enabled: boolean
  is_superuser: boolean
  /** Roles that are not bound to a project: system roles, `domain_admin` and domain permissions. */
  roles: Role[]
  /** Roles by project. */
  assigned_projects: { project_id: string; role: Role }[]
  /** Null for a local user. */
  identity_provider: string | null
  /** The user must set a new password before continuing. */
  must_change_password?: boolean
}

/** Whether the user can enter every project of the domain, as system and domain administrators can. */
export const entersWholeDomain = ({ is_superuser, roles }: UserRecord): boolean =>
  is_superuser || (['admin', 'superuser', 'domain_admin'] as Role[]).some((role) => roles.includes(role))

/** Limits a session to one project and these roles, regardless of the user's other permissions. */
export interface SessionRestriction extends Pick<UserRecord, 'roles' | 'assigned_projects'> {
  project_id: string
}

/** An application credential, identified by its ID, or by its name and owner. */
export type ApplicationRef = { id: string } | { name: string; username: string; domainName: string }

/** An authenticated user. */
export interface Authenticated {
  user: UserRecord
  /** The user's token for the cloud behind the engine; null for an engine without a cloud. */
  credential: Secret | null
  /** When the credential expires, and the session with it. */
  expires_at: Date | null
  /** Null if the session has all of the user's rights. */
  bound: SessionRestriction | null
  /** URL where a browser signs out at the identity provider; omitted if there is none. */
  sign_out?: Secret | null
}

/** Sign-in through the identity providers of the cloud behind the engine, which returns the authenticated user. */
export interface HandOverPort {
  /** Returns the providers that are currently available, or the last known ones while the cloud is unreachable. */
  providers(): Promise<IdentityProvider[]>
  /**
   * Returns the URL where a browser signs in through a provider, which then posts a token to `landing`. Throws a
   * `not_found` error if the provider is not available.
   */
  begin(providerId: string, landing: string): Promise<string>
  /** Returns the origin of the page that posts the token. Throws an `engine_unavailable` error if it is not known. */
  origin(): Promise<string>
  /** Returns the user for a token; null if the token does not come from a recent sign-in through this provider. */
  accept(providerId: string, token: Secret): Promise<Authenticated | null>
}

/**
 * Users, domains and projects. With a cloud, lookups use the last known data while it is unreachable; operations that
 * require the cloud throw an `engine_unavailable` error.
 */
export interface IdentityPort {
  /**
   * Returns the user with this name, password and domain, even if disabled; null if there is none. Takes the same time
   * in both cases.
   */
  authenticate(username: string, password: string, domainName: string): Promise<Authenticated | null>
  /**
   * Authenticates with an application credential. Throws an `unsupported` error if the engine does not support them.
   */
  authenticateApplication(credential: ApplicationRef, secret: Secret): Promise<Authenticated | null>
  /** Null if the engine has no cloud with external identity providers. */
  handOver: HandOverPort | null
  /** Null if the engine does not talk to identity providers itself. */
  federation: FederationPort | null
  /** Null if users and projects are managed elsewhere. */
  directory: DirectoryPort | null
  /** Null if no users are imported from an external directory. A cloud queries such a directory itself. */
  imports: DirectoryImportsPort | null
  user(id: string): Promise<UserRecord | null>
  domain(id: string): Promise<DomainRecord | null>
  project(id: string): Promise<ProjectRecord | null>
  /**
   * Returns the projects that the user can enter, including disabled ones, sorted by name: the assigned projects, or
   * for domain administrators all projects in the domain.
   */
  projectsOf(user: UserRecord): Promise<(ProjectRecord & { domain_name: string })[]>
  /**
   * Returns null if the current password is wrong. Otherwise, the result replaces that of the earlier sign-in, whose
   * credential may no longer be valid.
   */
  changePassword(userId: string, current: string, next: string): Promise<Authenticated | null>
  /**
   * Sets the password for a user who must change it and has already entered the previous password. Throws a
   * `validation` error if the password is unchanged. Present only in engines that can require a password change.
   */
  renewPassword?(userId: string, next: string): Promise<void>
  /** Returns the ID of the project that owns the objects created in system scopes. */
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
   * Called after rights have changed on this or another server: those of a user, of all members of a project, or (null)
   * of many users. Drops cached rights. Omitted if the engine caches no rights.
   */
  rightsChanged?(of: { kind: 'user' | 'project'; id: string } | null): void
}

declare module './area-ports' {
  interface OwnPorts {
    identity: IdentityPort
  }
}
