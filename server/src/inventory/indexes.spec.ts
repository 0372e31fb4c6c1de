import { allKinds } from '@mainstay/contract/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openInventoryFixture,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { columnsOf, ownerColumn, SEARCH, type Column } from './columns'

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture()
})
afterAll(() => fixture.close())

/** Definitions of all indexes on a table, as stored in the database. */
async function indexesOf(table: string): Promise<string[]> {
  const { rows } = await fixture.store.pool.query<{ indexdef: string }>(
    'select indexdef from pg_indexes where tablename = $1',
    [table],
  )
  return rows.map(({ indexdef }) => indexdef.replace(/^.* USING /, '').replaceAll('"', ''))
}

test('every sort key of every kind has an index, both for all rows and for the rows of one owner', async () => {
  for (const kind of Object.values(allKinds)) {
    const columns = columnsOf(kind)
    const indexes = await indexesOf(columns.table)
    const home = ownerColumn(kind)
    for (const [key, { name }] of columns.sortKeys) {
      const what = `${kind.name} by ${key}`
      expect(indexes, what).toContain(name === 'id' ? 'btree (id)' : `btree (${name}, id)`)
      if (home && name !== home && name !== 'id') expect(indexes, what).toContain(`btree (${home}, ${name}, id)`)
    }
  }
})

test('every filter of every kind has an index, and every text filter is covered by the search index', async () => {
  for (const kind of Object.values(allKinds)) {
    const columns = columnsOf(kind)
    const indexes = await indexesOf(columns.table)
    const isLed = ({ name, type }: Column): boolean =>
      indexes.some((it) =>
        type === 'tags'
          ? it.startsWith(`gin (${name}`)
          : new RegExp(`^btree \\(${name.replace(/[?^*.]/g, '\\$&')}[,)]`).test(it),
      )
    for (const [filter, column] of columns.filters) {
      const held = columns.columns.filter(({ path }) => path === column.path)
      expect(held.some(isLed), `${kind.name} by ${filter}`).toBe(true)
      if (kind.filters[filter]!.type === 'text') expect(kind.search, `${kind.name} by ${filter}`).toContain(column.path)
    }
    expect(indexes.some((it) => it.startsWith(`gin (${SEARCH} gin_trgm_ops)`))).toBe(true)
  }
})

test('a bulk load drops the indexes of its kinds and restores them, even after a failure', async () => {
  const { table, signature } = columnsOf(thingKind)
  const things = await openInventoryFixture({ thing: thingKind })
  const names = async (at = things) =>
    (
      await at.store.pool.query<{ indexname: string }>(
        'select indexname from pg_indexes where tablename = $1 order by 1',
        [table],
      )
    ).rows.map(({ indexname }) => indexname)
  const listed = async (inventory = things.inventory) =>
    (await inventory.list(thingKind, systemScope, { limit: 10, sort: 'id', search: 'thing' })).data.map(({ id }) => id)
  const put = (id: string) => things.inventory.transaction((records) => records.put('thing', thing(id)))
  try {
    const all = await names()
    await things.inventory.bulk!(['thing'], async () => {
      expect(await names()).toEqual([`${table}_pkey`])
      await put('a')
      expect(await listed()).toEqual(['a'])
    })
    expect(await names()).toEqual(all)
    const failing = things.inventory.bulk!(['thing'], async () => {
      await put('b')
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await names()).toEqual(all)
    // if a server is killed during the load, the next one restores the indexes
    await things.store.pool.query('update side_table set is_ready = false where signature = $1', [signature])
    await things.store.pool.query(`drop index ${all.find((name) => !name.endsWith('_pkey'))!}`)
    const next = await things.another()
    expect(await names()).toEqual(all)
    expect(await listed(next.inventory)).toEqual(['a', 'b'])
  } finally {
    await things.close()
  }
})

test('analyzes a table once after it has grown by thousands of rows', async () => {
  const { table } = columnsOf(thingKind)
  const things = await openInventoryFixture({ thing: thingKind })
  const { pool } = things.store
  const pagesOfOrder = async () => {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, timing off) select id from ${table} where "project_id" = 'p1' order by "#inner.size", id limit 20`,
    )
    return Number(/Buffers: shared hit=(\d+)/.exec(rows.map((row) => row['QUERY PLAN']).join(' '))![1])
  }
  try {
    // keep autovacuum from analyzing the table
    await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
    await things.inventory.transaction(async (records) => {
      for (let at = 0; at < 3000; at++)
        await records.put('thing', { ...thing(`t${at}`), project_id: 'p1', inner: { size: at % 3, secret: '' } })
    })
    expect(await things.inventory.analyzeGrown()).toContain(table)
    expect(await pagesOfOrder()).toBeLessThan(100)
    const { rows } = await pool.query<{ reltuples: number }>('select reltuples from pg_class where relname = $1', [
      table,
    ])
    expect(rows[0]!.reltuples).toBe(3000)
    expect(await things.inventory.analyzeGrown()).not.toContain(table)
  } finally {
    await things.close()
  }
})
