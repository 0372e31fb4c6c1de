import { createHash } from 'node:crypto'
import { knownReason } from '../../../host/reasons'
import type { Log } from '../../../ports/records'

/** Formats a failure for users from what failed and its cause. */
export type TellCause = (what: string, cause: string) => string

const MOST_LOGGED = 1000

/**
 * Users see what failed and, if the cause matches a known reason, why. Other program output may contain commands or
 * host paths, so it is only logged, once, and users see its ID. The same cause always has the same ID.
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
