import type { Domain, DomainChange, DomainDraft } from '@mainstay/contract/identity/domains'
import type { Group, GroupChange, GroupDraft } from '@mainstay/contract/identity/groups'
import type { Project, ProjectChange, ProjectDraft } from '@mainstay/contract/identity/projects'
import type { User, UserChange, UserDraft } from '@mainstay/contract/identity/users'
import type { Scope } from './scope'

/*
 * Administration of domains, projects, users and groups. The server has already checked that the caller has the
 * permission and that the scope covers the domain. `domainId` comes from the path; objects in other domains are not
 * found (`not_found`). `validation` and `duplicate_name` errors name the draft fields.
 */

export interface DomainsPort {
  create(scope: Scope, draft: DomainDraft): Promise<Domain>
  /** Throws a `default_domain_protected` error on an attempt to disable the default domain. */
  update(scope: Scope, id: string, change: DomainChange): Promise<Domain>
  /**
   * Throws a `default_domain_protected` or `domain_has_projects` error, or without `withUsers` a `domain_has_users`
   * error.
   */
  delete(scope: Scope, id: string, how: { withUsers: boolean }): Promise<void>
}

export interface ProjectsPort {
  create(scope: Scope, domainId: string, draft: ProjectDraft): Promise<Project>
  update(scope: Scope, domainId: string, id: string, change: ProjectChange): Promise<Project>
  /**
   * Throws a `project_not_empty` error with the counts of its resources. The SSH keys of its members are deleted with
   * it.
   */
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Removes users from the project. Users who are not members are ignored. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

/**
 * Only system administrators can change system permissions, or users who have such permissions (otherwise a `forbidden`
 * error). The first administrator cannot be demoted, disabled or deleted (`builtin_admin_protected`), and users cannot
 * demote, disable or delete themselves (`user_is_self`).
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
  /** True if the link was emailed after a forgotten password, false if an administrator created it. */
  is_mailed_reset: boolean
}

/** One-time links with which local users set their password. They expire, and a user has at most one. */
export interface PasswordLinksPort {
  /**
   * Throws the same errors as a password change through `UsersPort.update`, and an `unsupported` error for a federated
   * user.
   */
  create(scope: Scope, domainId: string, userId: string): Promise<{ token: string; expires_at: Date }>
  /**
   * Issues a link for a forgotten password and returns it with the email address. Returns null if the user has no
   * password or no email address, or received a link recently.
   */
  forgotten(username: string, domainName: string): Promise<{ token: string; email: string } | null>
  /** Throws a `not_found` error if the link was used or replaced, or has expired. */
  open(token: string): Promise<PasswordLinkOwner>
  /** Sets the user's password and returns the user ID. Throws a `not_found` error like `open`. */
  use(token: string, password: string): Promise<string>
}

/**
 * Only system administrators can change a group with system permissions, or its members (otherwise a `forbidden`
 * error). If a user is not in the domain, throws a `not_found` error and changes nothing.
 */
export interface GroupsPort {
  create(scope: Scope, domainId: string, draft: GroupDraft): Promise<Group>
  update(scope: Scope, domainId: string, id: string, change: GroupChange): Promise<Group>
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Adds users to a group. Users who are already members are ignored. */
  addMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<Group>
  /** Removes users from a group. Users who are not members are ignored. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

export interface DirectoryPort {
  domains: DomainsPort
  projects: ProjectsPort
  users: UsersPort
  /** Null if a cloud manages the passwords and does not support such links. */
  passwordLinks: PasswordLinksPort | null
  groups: GroupsPort
}
