import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'

/** Retry-After for clients, in seconds. */
const RETRY_AFTER = 2

/*
 * SQLSTATEs for connections that PostgreSQL refuses or ends: class 08, shutdown, crash, startup and dropped database
 * (57P), timeouts of idle transactions and sessions (25P03, 25P04, 57P05), and too many connections (53300).
 */
const states = /^(08...|57P0\d|25P0[34]|53300)$/
/** Errors from the operating system while connecting. ENOENT means that there is no socket file. */
const ofTheWay = /^(ECONN\w+|E(HOST|NET)(UNREACH|DOWN)|EPIPE|ETIMEDOUT|EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/
/** Driver messages (without an error code) for lost connections and connection timeouts. */
const ofTheDriver =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout (exceeded|expired)|Cannot use a pool after)/

/** Whether a query failed because its connection was lost or unavailable rather than because of the query itself. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message = '', syscall = '' } = (error ?? {}) as Record<string, string | undefined>
  return (
    states.test(code) ||
    ofTheWay.test(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    ofTheDriver.test(message)
  )
}

/** The problem for callers while the database is unavailable. Whether a change was committed is unknown. */
export const databaseUnavailable = (cause: unknown): Problem =>
  problem('core.database_unavailable', {}, { data: { retry_after: RETRY_AFTER }, cause })

/** Converts the error of a failed query to a problem. Errors caused by the query itself are returned unchanged. */
export function asDatabaseProblem(error: unknown): unknown {
  if (isConnectionLost(error)) return databaseUnavailable(error)
  if ((error as { code?: unknown } | null)?.code === '53100') return problem('core.database_full', {}, { cause: error })
  return error
}
