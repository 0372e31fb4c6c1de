import * as z from 'zod'
import { DeletionLock } from '@mainstay/contract/core/deletion-locks'
import { kind, type Kind } from '@mainstay/contract/core/kind'
import type { Entity } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openInventoryFixture, projectScope, type InventoryFixture } from '../testing/inventory-fixture'

const safe = kind({
  name: 'safe',
  entity: z.object({
    id: z.string(),
    name: z.string(),
    status: z.string(),
    project_id: z.string(),
    deletion_lock: DeletionLock.optional(),
  }),
  visibility: 'project',
  status: 'status',
  filters: ['id', 'name'],
  sortKeys: ['name'],
  permissions: { collection: 'compute_volumes', item: 'compute_volume' },
}) as unknown as Kind

const scope = projectScope('p1')
const row = (id: string, more: object = {}): Entity => ({
  ...{ id, name: `safe ${id}`, status: 'available', project_id: 'p1' },
  ...more,
})

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture({ safe })
})
afterEach(() => fixture.clear())
afterAll(() => fixture.close())

const cloud = () => fixture.inventory.from('cloud')
const observe = (entity: Entity) =>
  cloud().applyObservations([{ op: 'put', kind: 'safe', entity, observed_at: Date.now() }])
const lock = (id: string) => fixture.inventory.setDeletionLock(safe, scope, id, { by: 'anna', reason: null })
const view = (id: string) => fixture.inventory.view(safe, scope, id)
const locked = { by: 'anna', at: expect.any(String), reason: null }
const deletionOf = (id: string) => ({ going: [{ kind: 'safe', id, name: `safe ${id}` }], askedFor: id })

test('a row reported by a cloud stays locked when it changes or temporarily disappears', async () => {
  await observe(row('a'))
  await lock('a')
  expect(await view('a')).toEqual(row('a', { deletion_lock: locked }))
  await observe(row('a', { name: 'renamed' }))
  expect(await view('a')).toEqual(row('a', { name: 'renamed', deletion_lock: locked }))
  await cloud().applyObservations([{ op: 'remove', kind: 'safe', id: 'a', observed_at: Date.now() }])
  await expect(view('a')).rejects.toMatchObject({ code: 'not_found' })
  await observe(row('a'))
  expect(await view('a')).toEqual(row('a', { deletion_lock: locked }))
})

test('a full read that differs only in the lock writes nothing', async () => {
  await observe(row('a'))
  await lock('a')
  const before = await fixture.inventory.revision()
  const follow = cloud().follower()
  const observed_at = Date.now()
  await follow([
    { op: 'resync', kind: 'safe', observed_at },
    { op: 'put', kind: 'safe', entity: row('a'), observed_at },
    { op: 'synced', kind: 'safe' },
  ])
  expect(await fixture.inventory.revision()).toBe(before)
  expect(await view('a')).toMatchObject({ deletion_lock: locked })
})

test('setting or removing a lock is reported as a change to the row', async () => {
  await observe(row('a'))
  const before = await fixture.inventory.revision()
  await lock('a')
  await fixture.inventory.setDeletionLock(safe, scope, 'a', null)
  const changes = await fixture.inventory.changesSince(before, 10)
  expect(changes?.map(({ kind: name, id, op }) => [name, id, op])).toEqual([
    ['safe', 'a', 'put'],
    ['safe', 'a', 'put'],
  ])
  expect(await view('a')).toEqual(row('a'))
})

test('writes a lock and its row together or not at all', async () => {
  await observe(row('a'))
  const { db } = fixture.store
  await sql`alter table resource add constraint broken check (not body ? 'deletion_lock')`.execute(db)
  try {
    await expect(lock('a')).rejects.toThrow(/broken/)
  } finally {
    await sql`alter table resource drop constraint broken`.execute(db)
  }
  expect((await sql`select 1 from deletion_lock`.execute(db)).rows).toEqual([])
  expect(await view('a')).toEqual(row('a'))
})

test('refuses to delete a locked row, both when the command starts and when it reaches the row', async () => {
  await observe(row('a'))
  await observe(row('b'))
  const { inventory } = fixture
  let hasBegun = 0
  const remove = (id: string, first: () => Promise<unknown>) =>
    inventory.deleting(deletionOf(id), async () => {
      hasBegun++
      await first()
      await inventory.transaction(async (records) => {
        await records.lock('safe', id)
        await records.remove('safe', id)
      })
    })
  await expect(remove('a', () => lock('a'))).rejects.toMatchObject({ code: 'deletion_locked' })
  await expect(remove('a', async () => undefined)).rejects.toMatchObject({ code: 'deletion_locked' })
  expect(hasBegun).toBe(1)
  expect(await view('a')).toMatchObject({ deletion_lock: locked })
  await remove('b', () => lock('a'))
  await expect(view('b')).rejects.toMatchObject({ code: 'not_found' })
})

test('refuses to lock rows that are being created or deleted, and rows in other projects', async () => {
  const states = [{ status: 'creating' }, { status: 'BUILD' }, { status: 'deleting' }]
  for (const state of states) {
    await observe(row('a', state))
    await expect(lock('a')).rejects.toMatchObject({ code: 'invalid_state' })
  }
  await observe(row('b', { project_id: 'p2' }))
  await expect(lock('b')).rejects.toMatchObject({ code: 'not_found' })
  expect((await sql`select 1 from deletion_lock`.execute(fixture.store.db)).rows).toEqual([])
})
