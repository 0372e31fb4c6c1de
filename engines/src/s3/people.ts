import type { IdentityPort } from '../ports/identity'

/** What was found out about a person holds for so long, milliseconds. */
const KNOWN_FOR_MS = 1000
const MOST_KNOWN = 10_000

/** Whether somebody is there and enabled, and so is their domain: otherwise no key of theirs opens anything. */
export type IsActive = (userId: string) => Promise<boolean>

/** Asks who there is, once a second for each person. `identity` is there once all engines are. */
export function askPeople(identity: () => Pick<IdentityPort, 'user' | 'domain'>): IsActive {
  const known = new Map<string, { until: number; active: Promise<boolean> }>()

  async function look(userId: string): Promise<boolean> {
    const user = await identity().user(userId)
    return user !== null && user.enabled && ((await identity().domain(user.domain_id))?.enabled ?? false)
  }

  return (userId) => {
    const before = known.get(userId)
    if (before && before.until > performance.now()) return before.active
    const active = look(userId)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(userId, { until: performance.now() + KNOWN_FOR_MS, active })
    // a fault is asked again
    active.catch(() => known.delete(userId))
    return active
  }
}
