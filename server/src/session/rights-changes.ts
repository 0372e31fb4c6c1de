/** The user or project whose rights have changed. Null if announcements may have been missed. */
export type ChangedRights = { kind: 'user' | 'project'; id: string } | null

/** Announces changed rights to everything that stays open during a session, such as sockets and consoles. */
export interface RightsChanges {
  /** Calls the listener when rights change, on this or another server. Returns a function that stops it. */
  onChanged(listener: (of: ChangedRights) => void): () => void
  /**
   * Takes the payload of a database notification: `user:ID`, `project:ID`, or '' if notifications may have been missed.
   */
  tell(subject: string): void
}

export function createRightsChanges(): RightsChanges {
  const listeners = new Set<(of: ChangedRights) => void>()
  return {
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(subject) {
      const [kind, id = ''] = subject.split(/:(.*)/s)
      const of: ChangedRights = subject === '' ? null : { kind: kind === 'project' ? 'project' : 'user', id }
      for (const listener of listeners) listener(of)
    },
  }
}

/** Whether a change to rights may affect a scope. */
export const mayConcern = (
  of: ChangedRights,
  scope: Readonly<{ user_id: string; project_id: string | null }>,
): boolean => of === null || of.id === (of.kind === 'user' ? scope.user_id : scope.project_id)
