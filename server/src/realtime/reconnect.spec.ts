import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { projectScope, thingKind } from '../testing/inventory-fixture'
import { login, openSocketFixture, until, type SocketFixture } from '../testing/socket-fixture'

let fixture: SocketFixture
beforeAll(async () => {
  fixture = await openSocketFixture()
})
afterEach(() => fixture.clear())
afterAll(() => fixture.close())

test('a client that resumes from a revision receives the missed changes, then new ones', async () => {
  const { url } = await fixture.serve()
  await fixture.put('a')
  const since = await fixture.inventory.revision()
  await fixture.put('b')
  await fixture.remove('a')
  const member = await fixture.follow(url, 'p1', since)
  expect(member.reply).toMatchObject({ code: 200, revision: since, resync: false })
  await fixture.put('c')
  await until(() => member.changes.length === 3, 'three changes')
  expect(member.changes.map(({ op, id }) => `${op} ${id}`)).toEqual(['put b', 'remove a', 'put c'])
})

test('a client that was disconnected for longer than the log is kept must reload everything', async () => {
  const { url } = await fixture.serve()
  await fixture.put('a')
  await fixture.put('b')
  const witness = await fixture.follow(url, 'p1', 0)
  await until(() => witness.changes.length === 2, 'the hub to have read on')
  await fixture.store.pool.query("update change set at = now() - interval '2 days'")
  await fixture.inventory.pruneChanges(3600)
  // a running server still remembers recent changes; a restarted one does not
  expect((await fixture.follow(url, 'p1', 0)).reply).toMatchObject({ code: 200, resync: false })
  const restarted = await fixture.serve()
  expect((await fixture.follow(restarted.url, 'p1', 0)).reply).toMatchObject({ code: 200, resync: true })
  expect((await fixture.follow(restarted.url, 'p1', 999)).reply).toMatchObject({ code: 200, resync: true })
  expect((await fixture.follow(restarted.url, 'p1', 2)).reply).toMatchObject({ code: 200, resync: false })
})

test(
  'a client that reconnects often ends up in the exact state and receives no revision twice',
  { tags: 'all' },
  async () => {
    const servers = [await fixture.serve(), await fixture.serve((await fixture.another()).inventory)]
    const state = new Map<string, unknown>()
    let known = await fixture.inventory.revision()
    let writing = true
    let reconnects = 0
    const revisions: number[] = []
    const client = (async () => {
      while (writing) {
        const { url } = servers[reconnects++ % 2]!
        const socket = fixture.connect(url)
        socket.on('changes', (changes) => {
          for (const { revision, id, op, entity } of changes) {
            revisions.push(revision)
            known = revision
            if (op === 'remove') state.delete(id)
            else state.set(id, entity!['note'])
          }
        })
        const reply = await login(socket, { token: 'p1', all_tenants: false, since: known }).catch(() => null)
        if (reply) expect(reply).toMatchObject({ code: 200, resync: false })
        await sleep(Math.random() * 250)
        socket.removeAllListeners('changes')
        socket.disconnect()
      }
    })()
    const writer = async (number: number): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        const id = `w${number}-${Math.floor(Math.random() * 5)}`
        if (Math.random() < 0.25) await fixture.remove(id)
        else await fixture.put(id, { note: `${round}`, project_id: Math.random() < 0.8 ? 'p1' : 'p2' })
        await sleep(Math.random() * 20)
      }
    }
    await Promise.all([0, 1, 2].map(writer))
    writing = false
    await client
    const last = await fixture.follow(servers[0]!.url, 'p1', known)
    // this row is written last, so it is sent last
    await fixture.put('end', { note: 'end' })
    await until(() => last.changes.at(-1)?.id === 'end', 'the end')
    for (const { revision, id, op, entity } of last.changes) {
      revisions.push(revision)
      if (op === 'remove') state.delete(id)
      else state.set(id, entity!['note'])
    }
    const page = await fixture.inventory.list(thingKind, projectScope('p1'), { limit: 1000 })
    expect(Object.fromEntries(state)).toEqual(Object.fromEntries(page.data.map((row) => [row.id, row['note']])))
    expect(reconnects).toBeGreaterThan(3)
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other))
    expect(new Set(revisions).size).toBe(revisions.length)
  },
)

test('sends a change made on one server to clients of another', async () => {
  const other = await fixture.serve((await fixture.another()).inventory)
  const member = await fixture.follow(other.url, 'p1')
  await fixture.put('a')
  await until(() => member.changes.length === 1, 'the change')
})
