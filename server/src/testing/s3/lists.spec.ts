import pg from 'pg'
import { expect, test } from 'vitest'
import { afterPrefix, listObjects } from '@mainstay/engines/s3/store/lists'
import { testDatabase } from '../postgres/postgres'

test('SQL and code compute the same first string after a prefix, up to the last code point', async () => {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const last = '\u{10ffff}'
  for (const prefix of [
    'a',
    'a/',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    last,
    `a${last}`,
    `\ud7ff${last}${last}`,
  ]) {
    const { rows } = await client.query('select s3_after($1) as after', [prefix])
    expect([prefix, rows[0].after]).toEqual([prefix, afterPrefix(prefix)])
  }
  await client.end()
  await database.drop()
})

test('starts a list at its prefix even where the UTF-16 and UTF-8 orders differ', async () => {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  // only the columns that a list reads; this table shadows the real one
  await client.query(
    'create temp table s3_object (bucket_id text, key text collate "C", size int, mtime timestamptz, etag text, head jsonb)',
  )
  await client.query(`insert into s3_object (bucket_id, key) values ('b', $1), ('b', $2)`, ['\uffffz', '\u{10000}z'])
  const sql = { query: async (text: string, values: unknown[]) => (await client.query(text, values)).rows }
  const question = { prefix: '\u{10000}', delimiter: '', after: '\uffff', most: 5 }
  const { items } = await listObjects(sql as never, { id: 'b' } as never, question)
  expect(items.map((item) => 'object' in item && item.object.key)).toEqual(['\u{10000}z'])
  await client.end()
  await database.drop()
})
