import type { Log } from '@mainstay/engines/ports/records'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { asDatabaseProblem, databaseUnavailable, isConnectionLost } from './database-errors'

/** Whoever has gone without a word is noticed after some 15 s: nothing heard for 5 s, then one probe a second. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }

const POOL_SIZE = 12
const INT8 = 20

// revisions and counts stay far below 2^53
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/*
 * Lists are planned for each call, because a plan for any value is a bad one for most; parallel workers and compiled
 * expressions cost more than the short queries here. A transaction whose server hangs must not block the others.
 */
const session = [
  'jit=off',
  'plan_cache_mode=force_custom_plan',
  'max_parallel_workers_per_gather=0',
  'random_page_cost=1.5',
  'work_mem=16MB',
  'statement_timeout=60s',
  'idle_in_transaction_session_timeout=60s',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'TimeZone=UTC',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** Connections for short work. One that ends, in whatever state, costs what was asked of it and nothing else. */
export function openPool(connection: pg.ClientConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    ...keepAlive,
    options: session,
    types,
    max: POOL_SIZE,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 15_000,
  })
  // a connection in somebody's hands is heard by nobody else: without this its end would be the end of the process
  pool.on('connect', (client) =>
    client.on('error', (error: Error) => log.warn({ error: error.message }, 'a connection to PostgreSQL ended')),
  )
  // the same error of an idle one, after the pool has thrown it away
  pool.on('error', () => undefined)
  return pool
}

/** The pool as queries see it: the end of a connection is `database_unavailable`, and the connection is not used again. */
export function withProblems(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseUnavailable(error)
      })
      let isLost = false
      const query = (text: string, values: readonly unknown[]) =>
        client.query(text, [...values]).catch((error: unknown) => {
          isLost ||= isConnectionLost(error)
          throw asDatabaseProblem(error)
        })
      // cursors are not used
      return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isLost) }
    },
    end: () => pool.end(),
  }
}
