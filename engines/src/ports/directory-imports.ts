import type { LdapFault } from '@mainstay/contract/settings/ldap'

/** A person of a directory outside. `id` is the directory's own, and stays when they are renamed. */
export interface ImportedPerson {
  id: string
  name: string
  email: string | null
  /** What they are called by people: the description of a new user. */
  title: string
  /** Whether the directory lets them in. */
  enabled: boolean
}

export interface ImportedGroup {
  id: string
  name: string
  title: string
  /** Ids of people, in the directory. */
  members: readonly string[]
}

/** Names of users and groups by the ids that they have in the directory. */
export type KnownNames = Readonly<Record<'user' | 'group', ReadonlyMap<string, string>>>

/** What an import did. `faults`: who was left out, and why. */
export interface ImportOutcome {
  added: number
  changed: number
  /** Ids of users who were disabled. */
  disabled: string[]
  faults: { kind: 'user' | 'group'; name: string; reason: LdapFault }[]
}

/**
 * Users and groups of the default domain that a directory (LDAP) keeps. They are told by the directory's ids, so a name
 * that is used again is not the same person; names that others have here are not taken over.
 */
export interface DirectoryImportsPort {
  /**
   * Brings users and groups to what the directory has, in steps that may be done again. People whom it lacks, or does not let
   * in, are disabled; groups that it lacks have no members any more. `onProgress` is told the part that is done, 0 to 1.
   */
  apply(
    found: { people: readonly ImportedPerson[]; groups: readonly ImportedGroup[] },
    how: { signal?: AbortSignal; onProgress?: (part: number) => void },
  ): Promise<ImportOutcome>
  /** How many people there are that came from the directory, and may sign in. */
  count(): Promise<number>
  /** Who signs in by this name, whatever the case of its letters; null where the directory keeps nobody of it. */
  find(name: string): Promise<{ user_id: string; id: string } | null>
  /** Names of all users and groups that came from the directory. */
  names(): Promise<KnownNames>
  /** Ids of all users that came from the directory. */
  all(): Promise<string[]>
}
