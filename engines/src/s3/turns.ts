import { setImmediate } from 'node:timers/promises'

/** Work that takes longer than this many milliseconds yields to other requests. */
const TURN_MS = 10

/** Await the result between the steps of long work: it yields to the event loop if the current turn was too long. */
export function createQueue(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since <= TURN_MS) return
    await setImmediate()
    since = performance.now()
  }
}
