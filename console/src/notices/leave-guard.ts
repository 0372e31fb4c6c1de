const reasons = new Set<symbol>()

const ask = (event: BeforeUnloadEvent) => event.preventDefault()

/** Work that leaving the page would lose: the browser asks first. Gives back how to end it. */
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
