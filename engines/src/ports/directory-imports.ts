import type { LdapFault } from '@mainstay/contract/settings/ldap'

/** A user in an external directory. `id` is the ID in the directory, which survives a rename. */
export interface ImportedPerson {
  id: string
  name: string
  email: string | null
  /** Display name, used as the description of a new user. */
  title: string
  /** Whether the account is enabled in the directory. */
  enabled: boolean
}

export interface ImportedGroup {
  id: string
  name: string
  title: string
  /** Directory IDs of the members. */
  members: readonly string[]
}

/** Names of users and groups by their directory ID. */
export type KnownNames = Readonly<Record<'user' | 'group', ReadonlyMap<string, string>>>

/** The result of an import. `faults` lists the skipped users and groups with the reasons. */
export interface ImportOutcome {
  added: number
  changed: number
  /** IDs of users that were disabled. */
  disabled: string[]
  faults: { kind: 'user' | 'group'; name: string; reason: LdapFault }[]
}

/**
 * Users and groups in the default domain that are imported from a directory (LDAP). They are matched by directory ID,
 * so a reused name does not give access to the old account. A local user with the same name is never overwritten.
 */
export interface DirectoryImportsPort {
  /**
   * Synchronizes users and groups with the directory, in steps that can be repeated. Users that are missing or disabled
   * in the directory are disabled; groups that are missing lose their members. `onProgress` receives the completed
   * fraction, 0 to 1.
   */
  apply(
    found: { people: readonly ImportedPerson[]; groups: readonly ImportedGroup[] },
    how: { signal?: AbortSignal; onProgress?: (part: number) => void },
  ): Promise<ImportOutcome>
  /** Returns the number of imported users who can sign in. */
  count(): Promise<number>
  /** Returns the imported user with this name, ignoring case; null if there is none. */
  find(name: string): Promise<{ user_id: string; id: string } | null>
  /** Returns the names of all imported users and groups. */
  names(): Promise<KnownNames>
  /** Returns the IDs of all imported users. */
  all(): Promise<string[]>
}
