import { Readable } from 'node:stream'
import { Problem } from '@mainstay/contract/core/problems'
import { test as base, describe, expect } from 'vitest'
import * as z from 'zod'
import { Secret } from '../../ports/secret'
import { type Fault, startFaultProxy, type When } from '../testing/fault-proxy'
import { noLog } from '../testing/client-fixture'
import { startFakeCloud } from '../testing/fake-cloud/cloud'
import type { ServiceClient } from './service-client'
import { createCloud } from './cloud'

const Row = z.object({ id: z.string() })
const Servers = z.object({ servers: z.array(Row) })
const rows = Array.from({ length: 25 }, (_, index) => ({ id: `row-${index}` }))
/** Longer than a read with all its retries, but shorter than the test timeout. */
const deadlineMs = 5_000
/** Extra time for a busy machine, in milliseconds. */
const slackMs = 20_000

/** Opens a fake cloud behind a fault proxy, and a client that calls it through the proxy. */
async function openBed() {
  const fake = await startFakeCloud()
  fake.list('compute', '/servers/detail', 'servers', rows)
  fake.on('compute', 'POST', '/servers', () => ({ status: 202, body: { server: { id: 's-1' } } }))
  fake.on('compute', 'DELETE', '/servers/:id', () => ({ status: 204 }))
  const proxy = await startFaultProxy(fake.endpoints)
  const cloud = createCloud({ authUrl: proxy.authUrl, overrides: proxy.overrides, log: noLog, restMs: 500 })
  const user = { name: 'mainstay', domain: { id: 'default' } }
  const admin = { project: { id: 'p-admin' } }
  const caller = cloud.callerFor(cloud.passwordTokens({ user, password: new Secret('service-secret') }, admin))
  return {
    fake,
    proxy,
    caller,
    list: () => caller.get('compute', '/servers/detail', Servers, { deadlineMs }),
    create: () => caller.send('POST', 'compute', '/servers', z.object({ server: Row }), { body: {}, deadlineMs }),
    atCloud: (verb: string) => fake.received.filter((call) => call.verb === verb && call.service === 'compute'),
    async everyPage() {
      const ids: string[] = []
      const options = { query: { limit: 5 }, deadlineMs }
      for await (const page of caller.pages('compute', '/servers/detail', 'servers', Row, options))
        ids.push(...page.map(({ id }) => id))
      return ids
    },
    async close() {
      await cloud.close()
      await proxy.close()
      await fake.close()
    },
  }
}
/** Each test has its own cloud, so that the tests can wait for their deadlines concurrently. */
const test = base.extend<{ bed: Awaited<ReturnType<typeof openBed>> }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the dependencies of a fixture from its first parameter
  bed: async ({}, use) => {
    const bed = await openBed()
    await use(bed)
    await bed.close()
  },
})

const outcome = async (work: Promise<unknown>) => {
  const since = performance.now()
  const problem: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  const ms = performance.now() - since
  if (problem !== null) expect(problem).toBeInstanceOf(Problem)
  return { problem: problem as Problem | null, ms }
}

const faults: [string, Fault][] = [
  ['refuses connections', { kind: 'refuse' }],
  ['closes the connection before the call', { kind: 'drop' }],
  ['closes the connection in the middle of the response', { kind: 'reset' }],
  ['stops sending in the middle of the response', { kind: 'hang' }],
  ['is slow', { kind: 'slow', ms: 30_000 }],
  ['returns 500', { kind: 'status', status: 500, body: '{"computeFault":{"code":500,"message":"Boom"}}' }],
  ['returns 503', { kind: 'status', status: 503 }],
  ['requests a delay beyond the deadline', { kind: 'status', status: 503, headers: { 'retry-after': '120' } }],
  ['returns a web page', { kind: 'html' }],
  ['returns half a body', { kind: 'half' }],
  ['returns a list of versions', { kind: 'versions' }],
]

describe.concurrent.each(faults)('a service that %s', (_, fault) => {
  test('fails a read within its deadline and serves reads again after recovery', async ({ bed: { proxy, list } }) => {
    await list()
    await proxy.fault('compute', fault)
    const { problem, ms } = await outcome(list())
    expect(problem).toMatchObject({ code: 'engine_unavailable', data: { service: 'compute' } })
    expect(problem?.message).toMatch(/^The compute service /)
    expect(ms).toBeLessThan(deadlineMs + slackMs)
    await proxy.heal()
    expect((await list()).servers).toHaveLength(25)
  })

  test('receives a command at most once, and the command fails within its deadline', async ({
    bed: { proxy, list, create, atCloud },
  }) => {
    await list()
    await proxy.fault('compute', fault)
    const { problem, ms } = await outcome(create())
    expect(problem).toMatchObject({ code: 'engine_unavailable' })
    expect(ms).toBeLessThan(deadlineMs + slackMs)
    expect(atCloud('POST').length).toBeLessThanOrEqual(1)
  })
})

describe.concurrent('an identity service', () => {
  test.for(faults)(
    'that %s fails a sign-in within its deadline',
    async ([, fault], { expect: here, bed: { proxy, list } }) => {
      await proxy.fault('identity', fault)
      const { problem, ms } = await outcome(list())
      expect(problem?.code).toBe('engine_unavailable')
      expect(ms).toBeLessThan(deadlineMs + slackMs)
      await proxy.heal()
      // a hanging sign-in blocks new callers for up to 3 s; concurrent tests must poll with their own `expect`
      await here.poll(list, { timeout: 30_000 }).toMatchObject({ servers: rows })
    },
  )

  test('an outage does not affect callers that already have a token', async ({ bed: { proxy, list, create } }) => {
    await list()
    await proxy.fault('identity', { kind: 'refuse' })
    expect((await list()).servers).toHaveLength(25)
    expect((await create()).server.id).toBe('s-1')
  })
})

describe.concurrent('reads', () => {
  const passing: [string, Fault, When][] = [
    ['two broken connections', { kind: 'drop' }, { times: 2 }],
    ['an interrupted response', { kind: 'reset' }, { times: 1 }],
    ['a rate limit', { kind: 'status', status: 429 }, { times: 1 }],
    ['a bad gateway', { kind: 'status', status: 502 }, { times: 2 }],
    ['a service that requests a delay', { kind: 'status', status: 503, headers: { 'retry-after': '1' } }, { times: 1 }],
  ]
  test.for(passing)('survive %s', async ([, fault, when], { bed: { proxy, list } }) => {
    await proxy.fault('compute', fault, when)
    expect((await list()).servers).toHaveLength(25)
  })

  test('waits for as long as Retry-After requires', async ({ bed: { proxy, list } }) => {
    await proxy.fault('compute', { kind: 'status', status: 503, headers: { 'retry-after': '1' } }, { times: 1 })
    expect((await outcome(list())).ms).toBeGreaterThanOrEqual(1000)
  })

  test('retries a page that fails once and reads the rest of the list', async ({ bed: { proxy, everyPage } }) => {
    await proxy.fault('compute', { kind: 'drop' }, { from: 3, times: 1 })
    expect(await everyPage()).toEqual(rows.map(({ id }) => id))
  })

  test('fails the whole list instead of omitting a page', async ({ bed: { proxy, everyPage } }) => {
    await proxy.fault('compute', { kind: 'drop' }, { from: 3 })
    expect((await outcome(everyPage())).problem?.code).toBe('engine_unavailable')
  })

  test('reads the complete list even if the token expires midway', async ({ bed: { proxy, everyPage } }) => {
    await proxy.fault('compute', { kind: 'expire' }, { from: 3, times: 1 })
    expect(await everyPage()).toEqual(rows.map(({ id }) => id))
    expect(proxy.passed.filter(({ path }) => path.endsWith('/auth/tokens'))).toHaveLength(2)
    expect(proxy.passed.filter(({ status }) => status === 401)).toHaveLength(1)
  })

  test('renews an expired token once for concurrent reads', async ({ bed: { proxy, list } }) => {
    await list()
    await proxy.fault('compute', { kind: 'expire' }, { times: 1 })
    const answers = await Promise.all(Array.from({ length: 12 }, list))
    expect(answers.every(({ servers }) => servers.length === 25)).toBe(true)
    expect(proxy.passed.filter(({ path }) => path.endsWith('/auth/tokens'))).toHaveLength(2)
  })
})

describe.concurrent('commands', () => {
  test('sends a command only once and reports that it may have been carried out if the response is lost', async ({
    bed: { proxy, create, atCloud },
  }) => {
    await proxy.fault('compute', { kind: 'lose' }, { verb: 'POST' })
    const { problem } = await outcome(create())
    expect(problem).toMatchObject({ code: 'engine_unavailable', data: { may_have_happened: true } })
    expect(problem?.message).toContain('It is unknown whether the command was carried out')
    expect(atCloud('POST')).toHaveLength(1)
  })

  test('reports that a command was not carried out if the connection was refused', async ({
    bed: { proxy, list, create },
  }) => {
    await list()
    await proxy.fault('compute', { kind: 'refuse' })
    const { problem } = await outcome(create())
    expect(problem).toMatchObject({ data: { may_have_happened: false } })
    expect(problem?.message).toBe('The compute service cannot be reached: it refuses connections')
  })

  test('does not retry a command that a busy service rejects', async ({ bed: { proxy, caller, create, atCloud } }) => {
    await proxy.fault('compute', { kind: 'status', status: 503 }, { verb: 'DELETE' })
    await outcome(caller.send('DELETE', 'compute', '/servers/s-1', z.void()))
    await proxy.fault('compute', { kind: 'status', status: 429 }, { verb: 'POST' })
    await outcome(create())
    expect([...atCloud('DELETE'), ...atCloud('POST')]).toEqual([])
  })

  test('resends a command with a new token if the old one had expired', async ({
    bed: { proxy, list, create, atCloud },
  }) => {
    await list()
    await proxy.fault('compute', { kind: 'expire' }, { verb: 'POST', times: 1 })
    expect((await create()).server.id).toBe('s-1')
    expect(atCloud('POST').filter(({ token }) => token !== null)).toHaveLength(1)
  })
})

describe.concurrent('transfers', () => {
  const bytes = () => Readable.from([Buffer.alloc(70_000, 'a'), Buffer.alloc(70_000, 'b')])
  const upload = (caller: ServiceClient) => caller.upload('PUT', 'image', '/images/i-1/file', bytes())

  test('does not retry an upload whose response is lost', async ({ bed: { fake, proxy, caller } }) => {
    fake.on('image', 'PUT', '/images/:id/file', () => ({ status: 204 }))
    await proxy.fault('image', { kind: 'lose' })
    const { problem } = await outcome(upload(caller))
    expect(problem).toMatchObject({ code: 'engine_unavailable', data: { may_have_happened: true } })
    expect(fake.received.filter(({ verb }) => verb === 'PUT')).toHaveLength(1)
  })

  test('fails an interrupted download instead of ending it early', async ({ bed: { fake, proxy, caller } }) => {
    fake.on('image', 'GET', '/images/:id/file', () => ({ text: Buffer.alloc(200_000, 'z') }))
    await proxy.fault('image', { kind: 'reset' })
    const { bytes: coming, sizeBytes } = await caller.download('image', '/images/i-1/file')
    expect(sizeBytes).toBe(200_000)
    const read = async () => {
      for await (const _ of coming);
    }
    expect((await outcome(read())).problem?.code).toBe('engine_unavailable')
  })

  test('aborts an upload when the cloud stops reading', async ({ bed: { proxy, caller } }) => {
    await proxy.fault('image', { kind: 'slow', ms: 30_000 })
    const many = Readable.from(Array.from({ length: 400 }, () => Buffer.alloc(64 * 1024)))
    const { problem, ms } = await outcome(caller.upload('PUT', 'image', '/images/i-1/file', many))
    expect(problem?.message).toContain('it stopped reading the request')
    expect(ms).toBeLessThan(25_000)
  })

  test('aborts a download when the cloud stops sending', async ({ bed: { fake, proxy, caller } }) => {
    fake.on('image', 'GET', '/images/:id/file', () => ({ text: Buffer.alloc(200_000, 'z') }))
    await proxy.fault('image', { kind: 'hang' })
    const { bytes: coming } = await caller.download('image', '/images/i-1/file')
    const read = async () => {
      for await (const _ of coming);
    }
    const { problem, ms } = await outcome(read())
    expect(problem?.message).toBe('The image service cannot be reached: its response stopped before the end')
    expect(ms).toBeLessThan(25_000)
  })
})
