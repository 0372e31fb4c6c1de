import { expect, it } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { migrate } from '../../migrate'

it('live resize stays on in the domains whose instances use it, and is off in the others', async () => {
  const database = await testDatabase()
  const pool = testPool(database)
  const row = (id: string, kind: string, domain: string, isAllowed: boolean) =>
    pool.query('insert into resource (kind, id, domain_id, revision, body) values ($1, $2, $3, 1, $4)', [
      ...[kind, id, domain, JSON.stringify({ id, allow_live_resize: isAllowed })],
    ])
  try {
    await pool.query("delete from migration where name = '0082-live-resize-by-domain'")
    await row('a', 'server', 'uses it', true)
    await row('b', 'server', 'uses it', true)
    await row('c', 'server', 'uses it', false)
    await row('d', 'server', 'uses it not', false)
    await row('e', 'other', 'has no instances', true)
    await migrate(pool)
    const { rows } = await pool.query<object>('select domain_id, key, access, data from domain_property')
    expect(rows).toEqual([{ domain_id: 'uses it', key: 'allow_live_resize', access: 'auth', data: 'true' }])
  } finally {
    await pool.end()
    await database.drop()
  }
})
