import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openScene, systemScope, thing, thingKind, type Scene } from '../../testing/postgres-scenes'
import { quiet } from '../../testing/quiet'
import { columnsOf } from '../columns'
import type { Inventory } from '../types'
import type { CopySettings } from './copies'

/*
 * Here every list with a condition looks for a copy. What it was answered from shows in a row that is changed behind the
 * inventory's back: the database has it, a copy has not heard of it.
 */

let scene: Scene
let copied = 0
const open = async (copySettings: Partial<CopySettings> = {}): Promise<void> => {
  copied = 0
  const log = { ...quiet, info: (_: object, text: string) => void (copied += Number(text.startsWith('copied'))) }
  // a machine that is busy with other specs takes longer than a list would wait for
  scene = await openScene(
    { thing: thingKind },
    { log, copySettings: { dearCost: 0, patienceMs: 5000, ...copySettings } },
  )
  await put('a')
  await put('b', { status: 'ERROR' })
}
beforeEach(() => open())
afterEach(() => scene.close())

const put = (id: string, more: Record<string, unknown> = {}, at: Inventory = scene.inventory) =>
  at.transaction((records) => records.put('thing', thing(id, more)))
async function ids(at: Inventory = scene.inventory): Promise<string> {
  const page = await at.list(thingKind, systemScope, { status: 'ERROR', sort: 'id', limit: 20 })
  return page.data.map(({ id }) => id).join('')
}
async function makeCopy(times = 1): Promise<void> {
  await ids()
  await vi.waitFor(() => expect(copied).toBe(times), { timeout: 5000 })
  await sleep(20)
}
const changeUnheard = (id: string, status: string) =>
  scene.store.pool.query(`update ${columnsOf(thingKind).table} set status = $2 where id = $1`, [id, status])

test('the first list is answered by the database and has a copy made, the next one by the copy', async () => {
  await changeUnheard('a', 'ERROR')
  expect(await ids()).toBe('ab')
  await makeCopy()
  await changeUnheard('a', 'ACTIVE')
  expect(await ids()).toBe('ab')
  expect(copied).toBe(1)
})

test('where there is a copy it counts, also what a walk has found by itself', async () => {
  await put('c', { status: 'ERROR' })
  await makeCopy()
  const counted = async (query: Record<string, string>) =>
    scene.inventory.list(thingKind, systemScope, { ...query, sort: 'id', limit: 1, with_count: true })
  await changeUnheard('c', 'ACTIVE')
  expect(await counted({ status: 'ERROR' })).toMatchObject({ count: 2, count_estimated: false })
  expect(await counted({})).toMatchObject({ count: 3, count_estimated: false })
})

test('who has written something finds it at once, and what was removed no more', async () => {
  await makeCopy()
  for (let round = 0; round < 20; round++) {
    await put('c', { status: round % 2 ? 'ACTIVE' : 'ERROR' })
    expect(await ids()).toBe(round % 2 ? 'b' : 'bc')
  }
  await put('c', { status: 'ERROR' })
  await scene.inventory.transaction((records) => records.remove('thing', 'c'))
  expect(await ids()).toBe('b')
  expect(copied).toBe(1)
})

test('what another server has written is found as soon as it is committed', async () => {
  const other = await scene.another()
  await makeCopy()
  for (let round = 0; round < 10; round++) {
    await put('c', { status: round % 2 ? 'ACTIVE' : 'ERROR' }, other.inventory)
    expect(await ids()).toBe(round % 2 ? 'b' : 'bc')
  }
})

test('many changes at once are followed in parts', async () => {
  await makeCopy()
  const many = Array.from({ length: 2500 }, (_, at) => thing(`m${at}`, { status: at === 2499 ? 'ERROR' : 'ACTIVE' }))
  await scene.inventory.absorb(many.map((entity) => ({ op: 'put', kind: 'thing', entity }) as const))
  await put('a', { status: 'ERROR' })
  expect(await ids()).toBe('abm2499')
  expect(copied).toBe(1)
})

test('lists and changes that meet never see a row twice, or miss one', async () => {
  await makeCopy()
  let isOver = false
  const writer = (async () => {
    for (let round = 0; round < 60; round++) {
      // whoever is in trouble changes in one transaction
      const [one, other] = round % 2 ? ['a', 'b'] : ['b', 'a']
      await scene.inventory.transaction(async (records) => {
        await records.put('thing', thing(one, { status: 'ERROR' }))
        await records.put('thing', thing(other, { status: 'ACTIVE' }))
      })
    }
    isOver = true
  })()
  while (!isOver) {
    const { data } = await scene.inventory.list(thingKind, systemScope, { name: 'thing', sort: 'id', limit: 20 })
    expect(data.map(({ id }) => id)).toEqual(['a', 'b'])
  }
  await writer
  expect(await ids()).toBe('a')
})

test('a copy that is behind is not used', async () => {
  await scene.close()
  await open({ patienceMs: 0 })
  await makeCopy()
  await changeUnheard('a', 'ERROR')
  expect(await ids()).toBe('b')
  const holder = await scene.store.pool.connect()
  try {
    // whoever follows waits for the log, and there is something to follow
    await holder.query('begin; lock table change in access exclusive mode')
    await scene.store.pool.query('update revision set value = value + 1')
    expect(await ids()).toBe('ab')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('a copy that nobody uses is forgotten, and made anew when it is wanted', async () => {
  await scene.close()
  await open({ idleMs: 200 })
  await makeCopy()
  await changeUnheard('a', 'ERROR')
  expect(await ids()).toBe('b')
  await sleep(400)
  expect(await ids()).toBe('ab')
  await makeCopy(2)
})

test('a copy that the log does not lead on from is made anew', async () => {
  await makeCopy()
  await changeUnheard('a', 'ERROR')
  expect(await ids()).toBe('b')
  await scene.store.pool.query(
    'begin; update revision set value = value + 5; update change_pruned set revision = (select value from revision); commit',
  )
  // what is unheard of is made right as well, since nobody knows what was missed
  expect(await ids()).toBe('b')
  await makeCopy(2)
})

test('of a table with too many rows no copy is made', async () => {
  await scene.close()
  await open({ mostRows: 1 })
  await ids()
  await sleep(300)
  expect(await ids()).toBe('b')
  expect(copied).toBe(0)
})

test('a page tells no row that went away or out of sight after the copy found it', async () => {
  await makeCopy()
  await scene.store.pool.query("delete from resource where id = 'b'")
  expect(await ids()).toBe('')
})
