import { setImmediate } from 'node:timers/promises'

/** Work that takes longer than this many milliseconds yields to other requests. */
const TURN_MS = 10

/**
 * Returns a function to await between the steps of long work. It yields to the event loop if the current turn has taken
 * too long.
 */
export function createQueue(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since <= TURN_MS) return
    await setImmediate()
    since = performance.now()
  }
}
