import type { Domain, DomainChange, DomainDraft } from '@mainstay/contract/identity/domains'
import type { Group, GroupChange, GroupDraft } from '@mainstay/contract/identity/groups'
import type { Project, ProjectChange, ProjectDraft } from '@mainstay/contract/identity/projects'
import type { User, UserChange, UserDraft } from '@mainstay/contract/identity/users'
import type { Scope } from './scope'

/*
 * Administration of domains, projects, users and groups. The server has checked that the caller has the permission and
 * that the scope covers the domain. `domainId` comes from the path; objects of other domains are not found
 * (`not_found`). `validation` and `duplicate_name` name the draft fields.
 */

export interface DomainsPort {
  create(scope: Scope, draft: DomainDraft): Promise<Domain>
  /** Throws `default_domain_protected` when disabling the default domain. */
  update(scope: Scope, id: string, change: DomainChange): Promise<Domain>
  /** Throws `default_domain_protected`, `domain_has_projects`, and without `withUsers` also `domain_has_users`. */
  delete(scope: Scope, id: string, how: { withUsers: boolean }): Promise<void>
}

export interface ProjectsPort {
  create(scope: Scope, domainId: string, draft: ProjectDraft): Promise<Project>
  update(scope: Scope, domainId: string, id: string, change: ProjectChange): Promise<Project>
  /** Throws `project_not_empty` with the counts of its resources. SSH keys of its members are deleted with it. */
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Removes users from the project. Users who are not members are ignored. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

/**
 * Only system administrators can change system permissions, and users who have them (`forbidden`). The first
 * administrator cannot be demoted, disabled or deleted (`builtin_admin_protected`), and users cannot do so to
 * themselves (`user_is_self`).
 */
export interface UsersPort {
  create(scope: Scope, domainId: string, draft: UserDraft): Promise<User>
  update(scope: Scope, domainId: string, id: string, change: UserChange): Promise<User>
  delete(scope: Scope, domainId: string, id: string): Promise<void>
}

/** The user for whom a password link was issued. */
export interface PasswordLinkOwner {
  user_id: string
  user_name: string
  domain_name: string
  expires_at: Date
  /** True if it was emailed after a forgotten password, false if an administrator created it. */
  is_mailed_reset: boolean
}

/** One-time links with which local users set their password. They expire, and a user has at most one. */
export interface PasswordLinksPort {
  /** Throws like a password change by `UsersPort.update`, and `unsupported` for a federated user. */
  create(scope: Scope, domainId: string, userId: string): Promise<{ token: string; expires_at: Date }>
  /**
   * Issues a link for a forgotten password and returns it with the email address. Null if the user has no password or
   * no email, or received a link recently.
   */
  forgotten(username: string, domainName: string): Promise<{ token: string; email: string } | null>
  /** Throws `not_found` for a link that was used, replaced or has expired. */
  open(token: string): Promise<PasswordLinkOwner>
  /** Sets the password of the user and returns the user ID. Throws `not_found` like `open`. */
  use(token: string, password: string): Promise<string>
}

/**
 * Only system administrators can change a group with system permissions, and its members (`forbidden`). If a user is
 * not in the domain, throws `not_found` and changes nothing.
 */
export interface GroupsPort {
  create(scope: Scope, domainId: string, draft: GroupDraft): Promise<Group>
  update(scope: Scope, domainId: string, id: string, change: GroupChange): Promise<Group>
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Users who are already members are ignored. */
  addMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<Group>
  /** Users who are not members are ignored. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

export interface DirectoryPort {
  domains: DomainsPort
  projects: ProjectsPort
  users: UsersPort
  /** Null if passwords are kept by a cloud that does not support such links. */
  passwordLinks: PasswordLinksPort | null
  groups: GroupsPort
}
