import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { up } from './migrations/0050-to-0059/0051-image-digests'
import { openStore } from './store'

test('images of an earlier version keep their SHA-256 by its own name, and what was of another file is forgotten', async () => {
  const database = await testDatabase()
  const store = await openStore({ databaseUrl: database.url, dataFolder: '/nonexistent', log: silentLogger })
  const sha256 = 'ab'.repeat(32)
  const rows = { kept: { checksum: sha256 }, converted: { checksum: sha256 }, uploading: { checksum: null } }
  for (const [id, body] of Object.entries(rows)) {
    await sql`insert into resource (kind, id, revision, body) values ('image', ${id}, 1, ${JSON.stringify(body)})`.execute(
      store.db,
    )
  }
  for (const [id, isConverted] of [
    ['kept', false],
    ['converted', true],
  ])
    await sql`insert into private_record (kind, id, data) values ('image', ${id}, ${JSON.stringify({ isConverted })})`.execute(
      store.db,
    )
  // a second time it changes nothing
  for (const _ of [1, 2]) await up(store.db as never)
  const found = await sql<{ id: string; body: object }>`select id, body from resource order by id`.execute(store.db)
  expect(Object.fromEntries(found.rows.map(({ id, body }) => [id, body]))).toEqual({
    kept: { checksum: null, os_hash_algo: 'sha256', os_hash_value: sha256 },
    converted: { checksum: null, os_hash_algo: null, os_hash_value: null },
    uploading: { checksum: null, os_hash_algo: null, os_hash_value: null },
  })
  await store.close()
  await database.drop()
})
