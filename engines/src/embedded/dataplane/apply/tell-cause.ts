import { createHash } from 'node:crypto'
import { knownReason } from '../../../host/reasons'
import type { Log } from '../../../ports/records'

/** What people are told of something that failed. */
export type TellCause = (what: string, cause: string) => string

const MOST_LOGGED = 1000

/**
 * People are told what failed and, in words of a known list, why. What programs say otherwise, which may be a command or a path of the
 * host, is in the log, once, under an ID that people are told. The same cause has the same ID.
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
    return `${what}; your administrator finds the cause in the log under ID ${id}`
  }
}
