import type { Domain, DomainChange, DomainDraft } from '@mainstay/contract/identity/domains'
import type { Group, GroupChange, GroupDraft } from '@mainstay/contract/identity/groups'
import type { Project, ProjectChange, ProjectDraft } from '@mainstay/contract/identity/projects'
import type { User, UserChange, UserDraft } from '@mainstay/contract/identity/users'
import type { Scope } from './scope'

/*
 * Administration of domains, projects, users and groups. The server has checked the right of the call and that the scope acts in the
 * domain; `domainId` is that of the path, and what is in another domain is not there (`not_found`). `validation` and
 * `duplicate_name` name the fields of the draft.
 */

export interface DomainsPort {
  create(scope: Scope, draft: DomainDraft): Promise<Domain>
  /** Throws `default_domain_protected` where the default domain would be disabled. */
  update(scope: Scope, id: string, change: DomainChange): Promise<Domain>
  /** Throws `default_domain_protected`, `domain_has_projects`, and `domain_has_users` unless these are to go as well. */
  delete(scope: Scope, id: string, how: { withUsers: boolean }): Promise<void>
}

export interface ProjectsPort {
  create(scope: Scope, domainId: string, draft: ProjectDraft): Promise<Project>
  update(scope: Scope, domainId: string, id: string, change: ProjectChange): Promise<Project>
  /** Throws `project_not_empty` with the counts of what is in it. SSH keys of its members go with it. */
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Takes users out of the project. Who is not in it stays out. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

/**
 * Who is a system administrator, and what opens the whole installation, is changed by system administrators alone
 * (`forbidden`). Nobody takes away, disables or deletes the first administrator (`builtin_admin_protected`), nor themselves
 * (`user_is_self`).
 */
export interface UsersPort {
  create(scope: Scope, domainId: string, draft: UserDraft): Promise<User>
  update(scope: Scope, domainId: string, id: string, change: UserChange): Promise<User>
  delete(scope: Scope, domainId: string, id: string): Promise<void>
}

/** Whom a link for choosing a password is for. */
export interface PasswordLinkOwner {
  user_id: string
  user_name: string
  domain_name: string
  expires_at: Date
  /** Whether it was mailed to who has forgotten a password; else an administrator has made it. */
  is_mailed_reset: boolean
}

/** Links with which local users choose a password of their own. Each serves once, for so long, and one a user. */
export interface PasswordLinksPort {
  /** Throws as `UsersPort.update` does with a password; `unsupported` for a federated user. */
  create(scope: Scope, domainId: string, userId: string): Promise<{ token: string; expires_at: Date }>
  /**
   * A link for who has forgotten a password, with the address that it is mailed to. Null for who cannot sign in with one, has no
   * address, or was given one a short while ago.
   */
  forgotten(username: string, domainName: string): Promise<{ token: string; email: string } | null>
  /** Throws `not_found` for a link that was used, replaced, or has ended. */
  open(token: string): Promise<PasswordLinkOwner>
  /** Gives the user the password. Answers the id. Throws `not_found` as `open` does. */
  use(token: string, password: string): Promise<string>
}

/**
 * A group with system permissions, whoever is in it, and what it may do are changed by system administrators alone
 * (`forbidden`). `not_found` where one of the users is not in the domain: then nothing is done.
 */
export interface GroupsPort {
  create(scope: Scope, domainId: string, draft: GroupDraft): Promise<Group>
  update(scope: Scope, domainId: string, id: string, change: GroupChange): Promise<Group>
  delete(scope: Scope, domainId: string, id: string): Promise<void>
  /** Who is in the group already stays in it. */
  addMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<Group>
  /** Who is not in the group stays out. */
  removeMembers(scope: Scope, domainId: string, id: string, userIds: readonly string[]): Promise<void>
}

export interface DirectoryPort {
  domains: DomainsPort
  projects: ProjectsPort
  users: UsersPort
  /** Null where passwords are kept by a cloud, which knows no such links. */
  passwordLinks: PasswordLinksPort | null
  groups: GroupsPort
}
