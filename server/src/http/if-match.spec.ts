import { instances } from '@mainstay/contract/compute/instances'
import { placements } from '@mainstay/contract/compute/placements'
import { GiB } from '@mainstay/contract/core/bytes'
import type { ProblemBody } from '@mainstay/contract/core/problems'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'

const as = 'project-member'
const ROUNDS = 60

let server: TestServer
let id: string
beforeAll(async () => {
  server = await startServer()
  id = (await server.call(volumes.create, { as, body: { name: 'shared', size: GiB } })).id
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available'),
  )
})
afterAll(() => server.close())

async function look(): Promise<{ volume: Volume; tag: string }> {
  const response = await server.fetch(volumes.view, { as, params: { id } })
  return { volume: (await response.json()) as Volume, tag: response.headers.get('etag')! }
}
const rename = (name: string, tag?: string) =>
  server.fetch(volumes.update, {
    as,
    params: { id },
    body: { name },
    ...(tag !== undefined && { headers: { 'if-match': tag } }),
  })
async function isRefused(response: Response): Promise<void> {
  expect(response.status).toBe(412)
  expect(((await response.json()) as ProblemBody).error.err_code).toBe('changed_meanwhile')
}

test('a change with If-Match never overwrites an unseen change, even one that was made without If-Match', async () => {
  let both = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { tag } = await look()
    const [guarded, plain] = await Promise.all([rename(`guarded ${round}`, tag), rename(`plain ${round}`)])
    expect([200, 412]).toContain(guarded.status)
    expect(plain.status).toBe(200)
    both += Number(guarded.status === 200)
    // the guarded change either came first or was refused
    expect((await look()).volume.name).toBe(`plain ${round}`)
  }
  // not every guarded change was refused
  expect(both).toBeGreaterThan(0)
})

test('a change with If-Match never overwrites a row that a feed has reported', { tags: 'all' }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { volume, tag } = await look()
    const told = { ...volume, name: `told ${round}`, description: `feed ${round}` }
    const [guarded] = await Promise.all([
      rename(`guarded ${round}`, tag),
      server.tools.inventory.from('embedded').applyObservations([{ op: 'put', kind: 'volume', entity: told }]),
    ])
    expect([200, 412]).toContain(guarded.status)
    // a feed writes whole rows: a later change would mix its name with the new description
    const now = (await look()).volume
    expect([now.name, now.description]).toEqual([`told ${round}`, `feed ${round}`])
  }
})

test('refuses a change with If-Match after a job has changed the row', async () => {
  const made = await server.call(instances.create, {
    as,
    body: { name: 'busy', flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  const params = { id: made.id }
  const before = (await server.fetch(instances.view, { as, params })).headers.get('etag')!
  await vi.waitFor(async () => expect((await server.call(instances.view, { as, params })).status).toBe('ACTIVE'))
  const update = (tag: string) =>
    server.fetch(instances.update, { as, params, body: { name: 'calm' }, headers: { 'if-match': tag } })
  await isRefused(await update(before))
  const now = (await server.fetch(instances.view, { as, params })).headers.get('etag')!
  expect((await update(now)).status).toBe(200)
})

test('also guards rows without a modification time, and with * requires only that the row exists', async () => {
  const root = 'superuser'
  const made = await server.call(placements.create, { as: root, body: { name: 'gold' } })
  const params = { id: made.id }
  const tagNow = async () => (await server.fetch(placements.view, { as: root, params })).headers.get('etag')!
  const update = (name: string, tag: string) =>
    server.fetch(placements.update, { as: root, params, body: { name }, headers: { 'if-match': tag } })
  const first = await tagNow()
  expect((await update('silver', '*')).status).toBe(200)
  await isRefused(await update('copper', first))
  expect((await update('copper', `"0-x", ${await tagNow()}`)).status).toBe(200)
  await isRefused(await update('tin', '"nonsense"'))
  const gone = await server.fetch(placements.update, {
    as: root,
    params: { id: 'nowhere' },
    body: { name: 'tin' },
    headers: { 'if-match': '*' },
  })
  expect(gone.status).toBe(404)
})

test('returns the ETag for the next change', async () => {
  const first = await rename('one', (await look()).tag)
  const second = await rename('two', first.headers.get('etag')!)
  expect(second.status).toBe(200)
  await isRefused(await rename('three', first.headers.get('etag')!))
})

test('responds with 304 for an unchanged row, with separate ETags for each role', async () => {
  const made = await server.call(instances.create, {
    as,
    body: { name: 'seen', flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  const params = { id: made.id }
  await vi.waitFor(async () => expect((await server.call(instances.view, { as, params })).status).toBe('ACTIVE'))
  const get = (who: typeof as | 'superuser', tag?: string) =>
    server.fetch(instances.view, { as: who, params, ...(tag && { headers: { 'if-none-match': tag } }) })
  const [tenant, operator] = [await get(as), await get('superuser')]
  // only operators see the host
  expect(operator.headers.get('etag')).not.toBe(tenant.headers.get('etag'))
  expect((await get('superuser', tenant.headers.get('etag')!)).status).toBe(200)
  expect((await get(as, tenant.headers.get('etag')!)).status).toBe(304)
  await server.call(instances.update, { as, params, body: { name: 'seen anew' } })
  expect((await get(as, tenant.headers.get('etag')!)).status).toBe(200)
})

test('resends a list immediately after its caller has changed a row', async () => {
  for (let round = 0; round < 20; round++) {
    const list = (tag?: string) => server.fetch(volumes.list, { as, ...(tag && { headers: { 'if-none-match': tag } }) })
    const before = (await list()).headers.get('etag')!
    await rename(`listed ${round}`)
    const after = await list(before)
    expect(after.status).toBe(200)
    const { data } = (await after.json()) as { data: Volume[] }
    expect(data.find((it) => it.id === id)?.name).toBe(`listed ${round}`)
  }
})
