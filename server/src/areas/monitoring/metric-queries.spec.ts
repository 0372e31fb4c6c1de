import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { instances } from '@mainstay/contract/compute/instances'
import { KEPT_SECONDS, metricQueries, MOST_POINTS } from '@mainstay/contract/monitoring/metric-queries'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { lineOf, type Sample } from '../../metrics/sample'
import { noStore, openMetricsStore, type MetricsStore } from '../../metrics/store/metrics-store'
import { testMetricsStore } from '../../testing/metrics-store'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

const operator = 'superuser'
const tenant = 'project-member'
const other = 'other-member'
/** Prefix for the metric names of this run, because test files share the store. */
const run = `mainstay_spec_${randomUUID().replaceAll('-', '')}`

let kept: MetricsStore
/** The metrics store used by the server. Tests replace it. */
let current: MetricsStore
let server: TestServer
let open: Server | null = null

beforeAll(async () => {
  kept = await testMetricsStore()
  current = kept
  const behind: MetricsStore = {
    get advice() {
      return current.advice
    },
    ask: (...given) => current.ask(...given),
    // push to the real store, because the server stops pushing if a store fails
    push: (lines) => kept.push(lines),
    close: async () => undefined,
  }
  server = await startServer({ metricsStore: behind, pace: 30 })
  await put(['alpha-one', 3], ['alpha-two', 4], ['beta-one', 5])
})
afterAll(() => server.close())
afterEach(async () => {
  current = kept
  open?.closeAllConnections()
  await new Promise((resolve) => (open ? open.close(resolve) : resolve(null)))
  open = null
})

async function put(...values: [project: string, value: number][]): Promise<void> {
  const samples = values.map(([name, value]): Sample => {
    const { id, domain_id } = server.cast.projects[name]!
    return { name: run, labels: { project_id: id, domain_id }, value }
  })
  await kept.push(samples.map((it) => lineOf(it, Date.now() - 2000)))
  await kept.flush!()
}

const ask = (as: PersonaName, query: string) => server.call(metricQueries.query, { as, query: { query } })
async function valuesOf(as: PersonaName, query: string): Promise<string[]> {
  const { data } = await ask(as, query)
  return data.resultType === 'vector' ? data.result.map(({ value }) => value[1]).sort() : []
}
const refusal = (as: PersonaName, query: Record<string, unknown>, call = metricQueries.query) =>
  server.call(call, { as, query }).then(
    () => null,
    (problem: unknown) => problem as { code: string; status: number; message: string; fields: object },
  )

/** Starts a metrics store that returns scripted responses. */
async function storeThat(answers: RequestListener, patienceMs = 400): Promise<void> {
  open = createServer(answers)
  await new Promise<void>((resolve) => open!.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(open.address() as AddressInfo).port}`
  current = openMetricsStore({ address: () => ({ url, headers: {} }), close: async () => undefined, patienceMs })
}

describe('metrics of a project', () => {
  it('are queried with a token and limited to its scope [CA-037]', async () => {
    await vi.waitFor(async () => expect(await valuesOf(tenant, run)).toEqual(['3']), 20_000)
    expect(await valuesOf(other, run)).toEqual(['5'])
    expect(await valuesOf('domain-admin@alpha-two', run)).toEqual(['4'])
    const { data } = await ask(tenant, `sum(${run})`)
    expect(data).toMatchObject({ resultType: 'vector', result: [{ value: [expect.any(Number), '3'] }] })
    // fails without a token or without a project
    expect((await server.fetch(metricQueries.query, { query: { query: run } })).status).toBe(401)
    const unscoped = { token: await server.login(tenant) }
    expect((await server.fetch(metricQueries.query, { as: unscoped, query: { query: run } })).status).toBe(403)
  })

  it('remain limited even if the query selects another project', async () => {
    const theirs = server.cast.projects['beta-one']!.id
    for (const query of [
      `${run}{project_id="${theirs}"}`,
      `${run}{project_id=~".+"} == 5`,
      `sum(${run}{project_id!="x"}) == 5`,
      `${run}{project_id="${theirs}"} or ${run} == 5`,
    ])
      expect(await valuesOf(tenant, query), query).toEqual([])
    // relabeling the result does not reveal series of another project
    expect(await valuesOf(tenant, `label_replace(${run}, "project_id", "${theirs}", "", "")`)).toEqual(['3'])
  })

  it('are limited by a label in every selector that is sent to the store', async () => {
    const asked: URLSearchParams[] = []
    await storeThat((request, reply) => {
      void text(request).then((form) => {
        asked.push(new URLSearchParams(form))
        reply.end('{"status":"success","data":{"resultType":"vector","result":[]}}')
      })
    }, 20_000)
    expect(await valuesOf(tenant, `${run} or ${run}{a="b"}`)).toEqual([])
    const mine = `project_id="${server.cast.projects['alpha-one']!.id}"`
    // the rules of alerts ask the store, too
    const own = asked.map((it) => it.get('query')).filter((it) => it?.includes(run))
    expect(own).toEqual([`${run}{${mine}} or ${run}{${mine},a="b"}`])
  })

  it('include all projects for operators', async () => {
    expect(await valuesOf(operator, run)).toEqual(['3', '4', '5'])
    expect(await valuesOf('viewer', `sum(${run})`)).toEqual(['12'])
  })

  it('cannot be extended with parameters that only the store supports', async () => {
    const theirs = `project_id=${server.cast.projects['beta-one']!.id}`
    for (const name of ['extra_label', 'extra_filters', 'extra_filters[]', 'nocache'])
      expect(await refusal(tenant, { query: run, [name]: theirs })).toMatchObject({ code: 'validation' })
    for (const query of ['{__name__=~".+"}', 'up', 'sum('])
      expect(await refusal(tenant, { query })).toMatchObject({
        code: 'validation',
        fields: { query: [expect.any(String)] },
      })
  })
})

describe('a range query', () => {
  const now = Math.floor(Date.now() / 1000)
  const range = (as: PersonaName, more: Record<string, unknown> = {}) =>
    refusal(as, { query: run, start: now - 3600, end: now, step: 60, ...more }, metricQueries.range as never)

  it('returns a point for each step', async () => {
    const query = { query: run, start: String(now - 600), end: String(now + 60), step: '30s' }
    const { data } = await server.call(metricQueries.range, { as: tenant, query })
    if (data.resultType !== 'matrix') throw new Error(data.resultType)
    expect(data.result).toHaveLength(1)
    expect(data.result[0]!.values.map(([, value]) => value)).toContain('3')
  })

  it('limits the number of points, and limits the time range to the retention', async () => {
    expect(await range(tenant, { step: 3600 / MOST_POINTS })).toBeNull()
    expect(await range(tenant, { start: now - 1_000_000, step: 1 })).toMatchObject({
      code: 'validation',
      fields: { step: [expect.stringContaining(`at most ${MOST_POINTS} points`)] },
    })
    expect(await range(operator, { start: now - KEPT_SECONDS - 7200, step: 3600 })).toMatchObject({
      fields: { start: ['Choose a period of at most 30 days'] },
    })
    expect(await range(tenant, { start: now, end: now - 1 })).toMatchObject({ fields: { end: [expect.any(String)] } })
    expect(await range(tenant, { step: '0.001' })).toMatchObject({ fields: { step: [expect.any(String)] } })
    expect(await range(tenant, { query: 'x'.repeat(2001) })).toMatchObject({ fields: { query: [expect.any(String)] } })
  })
})

describe('a metrics store', () => {
  const unavailable = { code: 'metrics_unavailable', status: 503 }

  it('that is down, slow or returns invalid data is reported as unavailable, and other calls still work', async () => {
    const others = () => server.call(instances.list, { as: tenant })
    const bodies: Record<string, RequestListener> = {
      slow: () => undefined,
      'that fails': (_, reply) => reply.writeHead(500).end('no'),
      'without JSON': (_, reply) => reply.end('<html>'),
      'with another shape': (_, reply) => reply.end('{"status":"success","data":{"resultType":"vector","result":7}}'),
      'that redirects': (_, reply) => reply.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
      'that hangs up': (request) => request.socket.destroy(),
    }
    for (const [name, body] of Object.entries(bodies)) {
      await storeThat(body)
      expect(await refusal(tenant, { query: run }), name).toMatchObject(unavailable)
      expect((await others()).data).toBeInstanceOf(Array)
      open!.closeAllConnections()
      open!.close()
    }
    current = openMetricsStore({ address: () => null, close: async () => undefined })
    expect(await refusal(tenant, { query: run })).toMatchObject(unavailable)
  })

  it('that sends an endless response is disconnected', async () => {
    let sent = 0
    await storeThat((_, reply) => {
      const more = () => {
        if (reply.destroyed) return
        sent += 1
        reply.write(Buffer.alloc(1024 * 1024, 32), () => setImmediate(more))
      }
      more()
    }, 20_000)
    expect(await refusal(operator, { query: run })).toMatchObject({
      code: 'validation',
      message: expect.stringContaining('too large'),
    })
    expect(sent).toBeLessThan(64)
  })

  it('that is missing is reported, to operators with installation instructions', async () => {
    current = noStore('Install the package victoria-metrics')
    expect(await refusal(operator, { query: run })).toMatchObject({
      code: 'metrics_missing',
      message: 'Install the package victoria-metrics',
    })
    const told = await refusal(tenant, { query: run })
    expect(told).toMatchObject({ code: 'metrics_missing', message: expect.not.stringContaining('victoria') })
  })
})

it(
  'samples instances, quotas, the host and the server, and shows each project only its own instances',
  { tags: 'all' },
  async () => {
    const body = {
      name: 'measured',
      flavor: 's1.nano',
      networks: [],
      volumes: [{ source: 'blank' as const, size: 2 ** 30 }],
    }
    const { id } = await server.call(instances.create, { as: tenant, body })
    const has = async (as: PersonaName, query: string) =>
      expect((await valuesOf(as, query)).length, query).toBeGreaterThan(0)
    await vi.waitFor(
      async () => {
        await kept.flush!()
        for (const name of ['cpu_usage_ratio', 'mem_usage_bytes', 'block_read_bytes_total', 'block_write_ops_total'])
          await has(tenant, `mainstay_vm_${name}{server_id="${id}"}`)
        await has(tenant, 'mainstay_quota_used{quota="vcpus"}')
        await has(operator, 'mainstay_node_cpu_usage_ratio')
        await has(operator, 'mainstay_requests_total{status="2xx"}')
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(await valuesOf(other, `mainstay_vm_cpu_usage_ratio{server_id="${id}"}`)).toEqual([])
    // tenants cannot see metrics of the host and the server
    expect(await valuesOf(tenant, 'mainstay_node_cpu_usage_ratio or mainstay_requests_total')).toEqual([])
  },
)
