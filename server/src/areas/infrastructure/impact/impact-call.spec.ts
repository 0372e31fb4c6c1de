import type { Instance } from '@mainstay/contract/compute/instances'
import { impact } from '@mainstay/contract/infrastructure/impact'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../testing/start-server'
import { readImpactFacts } from './facts'

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
})
afterAll(() => server.close())

const DAY_MS = 24 * 3600_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** Writes rows in the same way as the jobs of the embedded engine. */
const put = (kind: string, rows: readonly { id: string }[]) =>
  server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const row of rows) await records.put(kind, row)
  })

it('counts running virtual machines by host, and volumes by the age of their last intact recovery point', async () => {
  const before = (await readImpactFacts(server.tools)).volumes!
  const created: Volume[] = []
  for (const name of ['today', 'older', 'old', 'never', 'damaged'])
    created.push(await server.call(volumes.create, { as: 'project-member', body: { name, size: GiB } }))
  const point = (at: number, taken_at: string, more: object = {}) => ({
    ...{ id: `point-${at}`, name: 'point', volume_id: created[at]!.id, volume_name: '', server_name: null },
    ...{ status: 'available', damaged_by: null, taken_at, project_id: created[at]!.project_id, ...more },
  })
  await put('volume_backup', [
    ...[point(0, ago(0.5)), point(1, ago(2)), point(2, ago(10))],
    point(3, ago(0.5), { status: 'error' }),
    point(4, ago(0.5), { damaged_by: 'point-4' }),
  ])
  const { volumes: now, machines } = await readImpactFacts(server.tools)
  expect(now).toEqual({
    ...{ total: before.total + 5, day: before.day + 4, week: before.week + 3, never: before.never + 2 },
  })

  const [here] = (await server.call(nodes.list, { as })).data
  const rows = await server.tools.inventory.transaction((records) => records.find<Instance>('server', {}))
  const running = rows.filter(({ host, status }) => host === here!.host && status === 'ACTIVE')
  expect(running.length).toBeGreaterThan(0)
  expect(machines.get(here!.host)).toMatchObject({
    ...{ running: running.length, restartable: running.filter(({ ha_enabled }) => ha_enabled).length },
  })
})

it('returns the impact of each node, location and tier and of the database, or only of the requested one', async () => {
  const { rows, counted_at } = await server.call(impact.view, { as })
  expect(Date.now() - Date.parse(counted_at)).toBeLessThan(60_000)
  expect(rows.map(({ kind }) => kind)).toEqual(['tier', 'node', 'rack', 'row', 'room', 'database'])
  expect(rows.find(({ kind }) => kind === 'database')!.exports.said.key).toBe('infrastructure.impact_exports_stop')
  const [here] = (await server.call(nodes.list, { as })).data
  const one = await server.call(impact.view, { as, query: { kind: 'node', id: here!.id } })
  expect(one.rows).toEqual([rows.find(({ kind }) => kind === 'node')])
  expect(one.rows[0]!.machines.said).toMatchObject({ key: 'infrastructure.impact_machines_only_host' })
  expect((await server.call(impact.view, { as, query: { kind: 'node', id: 'none' } })).rows).toEqual([])
})

it('is available to operators only', async () => {
  expect((await server.fetch(impact.view, { as: 'viewer' })).status).toBe(200)
  expect((await server.fetch(impact.view, { as: 'project-member', at: 'admin' })).status).toBe(403)
})

it('makes the same number of queries for any number of nodes', async () => {
  const query = vi.spyOn(server.tools.sql, 'query')
  const transaction = vi.spyOn(server.tools.inventory, 'transaction')
  const count = async () => {
    const seen: [number, number][] = []
    for (let time = 0; time < 5; time++) {
      query.mockClear()
      transaction.mockClear()
      await server.call(impact.view, { as })
      seen.push([query.mock.calls.length, transaction.mock.calls.length])
    }
    // work in the background can only add queries
    return [Math.min(...seen.map(([queries]) => queries)), Math.min(...seen.map(([, transactions]) => transactions))]
  }
  const first = await count()
  const [here] = (await server.call(nodes.list, { as })).data
  await server.tools.inventory.transaction(async (records) => {
    for (let at = 0; at < 63; at += 1) await records.put('node', { ...here!, id: `more-${at}`, host: `more-${at}` })
  })
  expect(await count()).toEqual(first)
})
