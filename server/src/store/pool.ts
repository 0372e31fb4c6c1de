import type { Log } from '@mainstay/engines/ports/records'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { asDatabaseProblem, databaseUnavailable, isConnectionLost } from './database-errors'

/** Detects a silently lost connection after about 15 s. Probes start after 5 s without traffic. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }

const POOL_SIZE = 12
const INT8 = 20

// revisions and counts stay far below 2^53
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/*
 * Lists are planned for each call, because a generic plan is bad for most values. Parallel workers and JIT cost more
 * time than the short queries here take. A hung server's transactions must not block others.
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

/** Opens a pool for short queries. Losing a connection affects only the query that uses it. */
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
  // without a listener, losing a connection that is in use would crash the process
  pool.on('connect', (client) =>
    client.on('error', (error: Error) => log.warn({ error: error.message }, 'lost a connection to PostgreSQL')),
  )
  // an idle connection was lost, and the pool has already removed it
  pool.on('error', () => undefined)
  return pool
}

/** Wraps the pool for queries: a lost connection is reported as `database_unavailable` and is not used again. */
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
