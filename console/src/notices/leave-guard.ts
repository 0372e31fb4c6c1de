const reasons = new Set<symbol>()

const ask = (event: BeforeUnloadEvent) => event.preventDefault()

/**
 * Makes the browser ask for confirmation before the user leaves the page, because unsaved work would be lost. Returns a
 * function that removes the guard.
 */
export function guardLeaving(): () => void {
  const reason = Symbol('work')
  if (reasons.size === 0) addEventListener('beforeunload', ask)
  reasons.add(reason)
  return () => {
    reasons.delete(reason)
    if (reasons.size === 0) removeEventListener('beforeunload', ask)
  }
}

export const hasUnsavedWork = () => reasons.size > 0
