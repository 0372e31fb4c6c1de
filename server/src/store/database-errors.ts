import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'

/** How long a caller should wait before the next attempt, seconds. */
const RETRY_AFTER = 2

/*
 * SQLSTATE of connections that PostgreSQL refuses or ends: class 08, shutdown, crash, start, a database that was dropped
 * (57P), a transaction or session that was idle for too long (25P03, 25P04, 57P05), and no connection left (53300).
 */
const states = /^(08...|57P0\d|25P0[34]|53300)$/
/** What the operating system says of the way there. ENOENT: the socket's file is not there. */
const ofTheWay = /^(ECONN\w+|E(HOST|NET)(UNREACH|DOWN)|EPIPE|ETIMEDOUT|EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/
/** What the driver says, without a code, of connections that ended, or that nobody got in time. */
const ofTheDriver =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout (exceeded|expired)|Cannot use a pool after)/

/** Whether a query failed because its connection ended or could not be had, and not for what it asked. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message = '', syscall = '' } = (error ?? {}) as Record<string, string | undefined>
  return (
    states.test(code) ||
    ofTheWay.test(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    ofTheDriver.test(message)
  )
}

/** What callers are told while there is no database. Of a change nobody knows whether its end was reached. */
export const databaseUnavailable = (cause: unknown): Problem =>
  problem('core.database_unavailable', {}, { data: { retry_after: RETRY_AFTER }, cause })

/** The failure of a query as callers are told it; one that is about the query itself stays as it is. */
export function asDatabaseProblem(error: unknown): unknown {
  if (isConnectionLost(error)) return databaseUnavailable(error)
  if ((error as { code?: unknown } | null)?.code === '53100') return problem('core.database_full', {}, { cause: error })
  return error
}
