import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import process from 'node:process'
import pg from 'pg'
import { createInventory } from '../../inventory/inventory'
import { openStore } from '../../store/store'
import { silentLogger } from '../silent-logger'

/** Environment variable in which the global setup passes the URL of PostgreSQL. */
export const POSTGRES_VARIABLE = 'MAINSTAY_TEST_POSTGRES'

export interface TestDatabase {
  name: string
  url: string
  drop(): Promise<void>
}

interface Reached {
  host: string
  port: number
  user: string
  database: string
}
export const urlOf = ({ host, port, user, database }: Reached): string =>
  `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`

const withDatabase = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Template database of this run; unique, because several runs may share a server. */
const templateName = (): string => `mainstay_template_${process.env['MAINSTAY_TEST_RUN'] ?? ''}`

async function administer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Creates the template database, with the schema and the tables of every kind. */
export async function makeTemplate(url: string): Promise<void> {
  process.env['MAINSTAY_TEST_RUN'] = randomUUID().slice(0, 8)
  await administer(url, (client) => client.query(`create database "${templateName()}"`))
  const store = await openStore({
    databaseUrl: withDatabase(url, templateName()),
    dataFolder: tmpdir(),
    log: silentLogger,
  })
  const inventory = await createInventory({ store, log: silentLogger })
  inventory.close()
  await store.close()
}

function urlOfRun(): string {
  const url = process.env[POSTGRES_VARIABLE]
  if (url) return url
  throw new Error('There is no PostgreSQL: vitest has to run with testing/postgres/global-setup.ts as its globalSetup')
}

/** Advisory lock held while resources shared by all workers are created; the number is arbitrary. */
const MAKING_LOCK = 7_206_900

/** Runs `work` while no other worker in the run is inside this function. */
export const oneAtATime = <Result>(work: () => Promise<Result>): Promise<Result> =>
  administer(urlOfRun(), async (client) => {
    // the lock is released when the connection closes
    await client.query('select pg_advisory_lock($1)', [MAKING_LOCK])
    return work()
  })

/**
 * Creates a database for one spec: with the empty schema, or as a copy of `template`, which must have no connections.
 */
export async function testDatabase(template = templateName()): Promise<TestDatabase> {
  const url = urlOfRun()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // copies the files, because writing every page to the WAL would take four times as long
  await administer(url, (client) => client.query(`create database "${name}" template "${template}" strategy file_copy`))
  return {
    name,
    url: withDatabase(url, name),
    drop: () =>
      administer(url, async (client) => void (await client.query(`drop database if exists "${name}" with (force)`))),
  }
}

/**
 * A connection pool for a spec. Ignores errors from connections that are still closing when the database is dropped.
 */
export function testPool({ url }: Pick<TestDatabase, 'url'>, max?: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', () => undefined)
  return pool
}
