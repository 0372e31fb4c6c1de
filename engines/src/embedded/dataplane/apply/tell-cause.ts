import { createHash } from 'node:crypto'
import { knownReason } from '../../../host/reasons'
import type { Log } from '../../../ports/records'

/** Returns a message for users that describes what failed and why. */
export type TellCause = (what: string, cause: string) => string

const MOST_LOGGED = 1000

/**
 * Returns a function that builds error messages for users. The messages say what failed and, if the cause is known,
 * why. Other program output may contain commands or host paths, so it is written only to the log, once, and users are
 * given an ID to find it. A cause always has the same ID.
 */
export function causeReporter(log: Pick<Log, 'error'>): TellCause {
  const logged = new Set<string>()
  return (what, cause) => {
    const words = knownReason(cause)
    if (words !== null) return `${what}: ${words}`
    const id = createHash('sha256').update(cause).digest('hex').slice(0, 12)
    if (!logged.has(id)) {
      if (logged.size >= MOST_LOGGED) logged.clear()
      logged.add(id)
      log.error({ causeId: id, cause }, what)
    }
    return `${what}. Your administrator can find the cause in the log under ID ${id}`
  }
}
