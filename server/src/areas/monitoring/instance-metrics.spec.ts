import { randomUUID } from 'node:crypto'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import {
  FIGURES_SECONDS,
  FIGURES_STEP,
  instanceFigures,
  MOST_FIGURED,
} from '@mainstay/contract/monitoring/instance-metrics'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { lineOf } from '../../metrics/sample'
import { noStore, openMetricsStore, type MetricsStore } from '../../metrics/store/metrics-store'
import { testMetricsStore } from '../../testing/metrics-store'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

const tenant = 'project-member'
const other = 'other-member'

let kept: MetricsStore
/** The metrics store used by the server. Tests replace it. */
let current: MetricsStore
let server: TestServer
/** One hundred instances of the tenant. `theirs` belongs to another tenant. */
let mine: string[]
let theirs: string

beforeAll(async () => {
  kept = await testMetricsStore()
  current = kept
  server = await startServer({
    metricsStore: {
      advice: null,
      ask: (...given) => current.ask(...given),
      // drop all metrics except those pushed by the tests
      push: async () => undefined,
      close: async () => undefined,
    },
  })
  const { id } = await make(tenant)
  theirs = (await make(other)).id
  const row = await server.call(instances.view, { as: tenant, params: { id } })
  mine = [id, ...Array.from({ length: MOST_FIGURED - 1 }, () => randomUUID())]
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const [at, copy] of mine.entries()) if (at > 0) await records.put('server', { ...row, id: copy })
  })
})
afterAll(() => server.close())
afterEach(() => {
  current = kept
})

const make = (as: PersonaName) =>
  server.call(instances.create, {
    as,
    body: { name: 'measured', flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB }] },
  })

/** Stores a metric for instances in a project, timestamped `ago` seconds in the past. */
async function put(name: string, project: string, ids: string[], valueOf: (at: number) => number, ago = 5) {
  const { id: project_id, domain_id } = server.cast.projects[project]!
  await kept.push(
    ids.map((server_id, at) =>
      lineOf(
        { name: `mainstay_vm_${name}`, labels: { project_id, domain_id, server_id }, value: valueOf(at) },
        Date.now() - ago * 1000,
      ),
    ),
  )
  await kept.flush!()
}

const ask = async (as: PersonaName, ids: string[]) =>
  (await server.call(instanceFigures.several, { as, query: { ids: ids.join(',') } })).data

it('returns metrics of one hundred instances in a single call and hides those of other tenants', async () => {
  await put('cpu_usage_ratio', 'alpha-one', mine, (at) => at / 100)
  await put('cpu_usage_ratio', 'beta-one', [theirs], () => 0.5)
  await vi.waitFor(async () => expect((await ask(tenant, mine)).at(-1)?.cpu_usage).toBe(99), 20_000)
  const found = await ask(tenant, [theirs, ...mine.slice(1)])
  expect(found.map(({ id, cpu_usage }) => [id, cpu_usage])).toEqual(mine.slice(1).map((id, at) => [id, at + 1]))
  expect(await ask(other, [theirs, ...mine.slice(1)])).toMatchObject([{ id: theirs, cpu_usage: 50 }])
  expect(await ask('superuser', [theirs, mine[1]!])).toMatchObject([{ id: theirs }, { id: mine[1] }])
})

it('returns the history in even steps, with gaps, and the memory usage', async () => {
  const id = mine[0]!
  for (const ago of [4 * FIGURES_STEP, FIGURES_SECONDS + 2 * FIGURES_STEP])
    await put('cpu_usage_ratio', 'alpha-one', [id], () => 0.4, ago)
  await put('mem_usage_bytes', 'alpha-one', [id], () => 96)
  await put('mem_bytes', 'alpha-one', [id], () => 128)
  const [figures] = await vi.waitFor(async () => {
    const answer = await ask(tenant, [id])
    expect(answer[0]?.mem_usage).toBe(75)
    expect(answer[0]?.cpu_history).toContain(40)
    return answer
  }, 20_000)
  expect(figures!.cpu_history).toHaveLength(FIGURES_SECONDS / FIGURES_STEP)
  // older values are left out, and steps without a sample are null
  expect(figures!.cpu_history.indexOf(40)).toBeGreaterThan(FIGURES_SECONDS / FIGURES_STEP - 7)
  expect(figures!.cpu_history.filter((value) => value === null).length).toBeGreaterThan(40)
})

it('ignores unknown instances and refuses more than one hundred IDs', async () => {
  expect(await ask(tenant, [randomUUID(), '.*', '"} or x'])).toEqual([])
  const many = server.call(instanceFigures.several, { as: tenant, query: { ids: [...mine, 'one'].join(',') } })
  await expect(many).rejects.toMatchObject({
    code: 'validation',
    fields: { ids: ['Specify at most 100 virtual machines'] },
  })
})

it('returns an error while the store is missing or unavailable, but lists still work', async () => {
  for (const [store, code] of [
    [noStore('Install it'), 'metrics_missing'],
    [openMetricsStore({ address: () => null, close: async () => undefined }), 'metrics_unavailable'],
  ] as const) {
    current = store
    await expect(ask(tenant, mine)).rejects.toMatchObject({ code })
    expect((await server.call(instances.list, { as: tenant })).data.length).toBeGreaterThan(0)
  }
})
