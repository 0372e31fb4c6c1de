import process from 'node:process'
import { openStore } from '../../store/store'
import { endWithThisProcess } from './global-setup'
import { silentLogger } from '../silent-logger'

// A server that opens a data folder, writes one row and waits, for specs that kill it. Arguments: `<folder> [alone]`.
// With `alone`, PostgreSQL is stopped when this server exits.
async function run(): Promise<void> {
  const store = await openStore({ databaseUrl: null, dataFolder: process.argv[2] ?? '', log: silentLogger })
  if (process.argv[3] === 'alone') endWithThisProcess(process.argv[2]!)
  await store.pool.query('create table held as select 1 as one')
  process.stdout.write('ready\n')
  setInterval(() => undefined, 60_000)
}

void run()
