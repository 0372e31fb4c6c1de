import { expect, test } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { migrate } from '../../migrate'

const volume = "insert into resource (kind, id, revision, body) values ('volume', 'v1', 1, '{}')"
const marked = (view: string) =>
  `insert into private_record (kind, id, data) values ('index', 'owner', '{"view": "${view}"}')`

test.each([
  ['was an engine’s own record', [volume, marked('record')], ['embedded record']],
  ['followed a cloud that had nothing yet', [marked('feed')], ['cloud feed']],
  ['is from before there were clouds', [volume], ['embedded record']],
  ['is new', [], []],
])('what a database holds that %s belongs to its engine from now on', async (_, before, owners) => {
  const database = await testDatabase()
  const pool = testPool(database)
  await pool.query("drop table kind_source; delete from migration where name = '0052-kind-sources'")
  for (const statement of before) await pool.query(statement)
  await migrate(pool)
  const { rows } = await pool.query<{ owner: string; kinds: string }>(
    "select source || ' ' || view as owner, count(*) as kinds from kind_source group by 1",
  )
  expect(rows.map(({ owner }) => owner)).toEqual(owners)
  for (const { kinds } of rows) expect(Number(kinds)).toBe(10)
  await pool.end()
  await database.drop()
})
