import { setImmediate } from 'node:timers/promises'

/** Work that takes longer lets the calls of others go on in between, milliseconds. */
const TURN_MS = 10

/** To be awaited between the parts of long work: waits for the next turn of the event loop if this one has been long. */
export function createQueue(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since <= TURN_MS) return
    await setImmediate()
    since = performance.now()
  }
}
