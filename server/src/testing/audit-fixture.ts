import { tmpdir } from 'node:os'
import { afterAll, beforeAll } from 'vitest'
import { createAudit, type Audit } from '../audit/audit'
import { sqlOf } from '../session/sql'
import { openStore, type Store } from '../store/store'
import { testDatabase } from './postgres/postgres'
import { silentLogger } from './silent-logger'

/* An audit log without a server, because a server would interfere by sealing and forwarding entries automatically. */

export let sql: ReturnType<typeof sqlOf>
export let audit: Audit
/** URL of the fixture's database. */
export let databaseUrl: string

/** Opens one database for a spec file. */
export function withAudit(): void {
  let database: Awaited<ReturnType<typeof testDatabase>>
  let store: Store
  beforeAll(async () => {
    database = await testDatabase()
    databaseUrl = database.url
    store = await openStore({ databaseUrl, dataFolder: tmpdir(), log: silentLogger })
    sql = sqlOf(store.db)
    audit = createAudit(sql, silentLogger)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })
}
