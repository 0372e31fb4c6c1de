/** Whose rights have changed: a user's, or those of all who act in a project. Null: some announcements were missed. */
export type ChangedRights = { kind: 'user' | 'project'; id: string } | null

/** Tells what a session has open, as sockets and screens, that its rights have to be looked at again. */
export interface RightsChanges {
  /** Calls back when rights have changed, here or by another server. Answers how to stop listening. */
  onChanged(listener: (of: ChangedRights) => void): () => void
  /** `user:ID` or `project:ID`, as the database announces it; '' where announcements were missed. */
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

/** Whether rights that have changed may be those of somebody who acts in a scope. */
export const mayConcern = (
  of: ChangedRights,
  scope: Readonly<{ user_id: string; project_id: string | null }>,
): boolean => of === null || of.id === (of.kind === 'user' ? scope.user_id : scope.project_id)
