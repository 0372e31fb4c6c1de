import { expect, test } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { migrate } from '../../migrate'

test('a database from before knows its default domain as Default from now on, and nobody signs in anew', async () => {
  const database = await testDatabase()
  const pool = testPool(database)
  // as it was before this step, and as a server of then had filled it
  await pool.query("delete from migration where name = '0048-sign-in'")
  await pool.query('drop table sign_in_source; drop index sign_in_failure_last')
  await pool.query("insert into identity_domain (id, name) values ('default', 'default'), ('d-2', 'others')")
  await pool.query(
    "insert into session (id, user_id, address, user_agent, created_at, last_used_at) values ('s', 'u', '::1', '', now(), now())",
  )
  await migrate(pool)
  const { rows } = await pool.query('select id, name from identity_domain order by id')
  expect(rows).toEqual([
    { id: 'd-2', name: 'others' },
    { id: 'default', name: 'Default' },
  ])
  expect((await pool.query('select id from session where ended_at is null')).rows).toEqual([{ id: 's' }])
  await pool.end()
  await database.drop()
})
