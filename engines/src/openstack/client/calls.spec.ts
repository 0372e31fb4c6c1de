import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Secret } from '../../ports/secret'
import { problemOf } from '../testing/outcomes'
import { noLog, type ClientFixture, startClientFixture } from '../testing/client-fixture'
import { createCloud } from './cloud'

let client: ClientFixture
beforeEach(async () => {
  client = await startClientFixture()
  client.fake.on('compute', 'GET', '/thing', () => ({ body: { fine: true } }))
})
afterEach(() => client.stop())
const last = () => client.fake.received.at(-1)
const discoveries = () => client.fake.received.filter(({ path }) => path === '/')

describe('versions', () => {
  test('discovers versions only once and sends the version that a call requires', async () => {
    const caller = client.service()
    client.fake.on('volume', 'GET', '/volumes', () => ({ body: {} }))
    client.fake.on('placement', 'GET', '/traits', () => ({ body: {} }))
    await Promise.all([1, 2, 3].map(() => caller.get('compute', '/thing', z.unknown(), { version: '2.73' })))
    expect(last()?.headers['openstack-api-version']).toBe('compute 2.73')
    await caller.get('volume', '/volumes', z.unknown(), { version: '3.42' })
    expect(last()?.headers['openstack-api-version']).toBe('volume 3.42')
    await caller.get('placement', '/traits', z.unknown(), { version: '1.6' })
    expect(last()?.headers['openstack-api-version']).toBe('placement 1.6')
    expect(discoveries()).toHaveLength(3)
  })

  test('rejects a call that requires a newer version than the cloud supports', async () => {
    client.fake.microversions.compute = '2.60'
    const problem = await problemOf(client.service().get('compute', '/thing', z.unknown(), { version: '2.73' }))
    expect(problem).toMatchObject({ code: 'unsupported', data: { service: 'compute', needed: '2.73' } })
    expect(problem.message).toBe(
      'This action requires version 2.73 of the compute service, but the cloud supports only versions 2.1 to 2.60',
    )
    expect(client.fake.received.some(({ path }) => path === '/thing')).toBe(false)
  })

  test('detects the versions of services without microversions and sends them no version header', async () => {
    const { fake } = client
    fake.on('identity', 'GET', '', () => ({ body: { version: { id: 'v3.14', status: 'stable' } } }))
    const caller = client.service()
    expect(await caller.offers('identity', '3.14')).toBe(true)
    expect(await caller.offers('image', '2.7')).toBe(true)
    expect(await caller.offers('image', '2.16')).toBe(false)
    expect(await caller.offers('network', '2.0')).toBe(true)
    fake.on('image', 'GET', '/images', () => ({ body: {} }))
    await caller.get('image', '/images', z.unknown(), { version: '2.2' })
    expect(last()?.headers['openstack-api-version']).toBeUndefined()
  })

  test('compares versions numerically', async () => {
    client.fake.microversions.compute = '2.9'
    expect(await client.service().offers('compute', '2.9')).toBe(true)
    expect(await client.service().offers('compute', '2.10')).toBe(false)
    expect(await client.service().offers('compute', '3.1')).toBe(false)
  })

  test('fails on an unreadable version list and ignores other major versions', async () => {
    client.fake.on('compute', 'GET', '/', () => ({ text: '<html>Welcome</html>' }))
    expect(await problemOf(client.service().offers('compute', '2.1'))).toMatchObject({ code: 'engine_unavailable' })
    client.fake.on('compute', 'GET', '/', () => ({ status: 300, body: { versions: [{ id: 'v1.1' }] } }))
    expect(await client.service().offers('compute', '2.1')).toBe(false)
  })
})

test('rejects calls to a service that is not in the catalogue as unsupported', async () => {
  client.fake.catalogue.splice(4, 2)
  const caller = client.service()
  expect(await Promise.all([caller.has('compute'), caller.has('volume'), caller.has('placement')])).toEqual([
    true,
    false,
    false,
  ])
  expect(await caller.offers('placement', '1.1')).toBe(false)
  expect(await problemOf(caller.get('volume', '/volumes', z.unknown()))).toMatchObject({
    code: 'unsupported',
    message: 'The cloud has no volume service',
  })
})

test('sends our request ID in the format that OpenStack accepts', async () => {
  const uuid = '0b54b9c6-6a4c-4f4e-9f8e-1f0f4a4f6c11'
  await client.service(uuid).get('compute', '/thing', z.unknown())
  expect(last()?.headers['x-openstack-request-id']).toBe(`req-${uuid}`)
  await client.service('request 7').get('compute', '/thing', z.unknown())
  expect(last()?.headers['x-openstack-request-id']).toMatch(/^req-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
})

test('logs every call without tokens or passwords', async () => {
  const lines: object[] = []
  const write = (fields: object, message: string) => void lines.push({ ...fields, message })
  await client.stop()
  client = await startClientFixture({}, { log: { debug: write, info: write, warn: write, error: write } })
  client.fake.on('compute', 'POST', '/thing', () => ({ text: '{"adminPass": "guarded", oh' }))
  const problem = await problemOf(client.service('r-7').send('POST', 'compute', '/thing', z.unknown()))
  expect(lines).toMatchObject([
    { service: 'identity', verb: 'POST', status: 201 },
    { service: 'compute', verb: 'POST', path: '/compute/v2.1/thing', status: 200, request_id: 'r-7' },
  ])
  const told = inspect([lines, problem, problem.cause], { depth: 10, showHidden: true })
  for (const secret of ['service-secret', 'gAAAA', 'guarded']) expect(told).not.toContain(secret)
})

test('lets the headers of a call override the defaults, but never the token', async () => {
  client.fake.on('image', 'PATCH', '/images/:id', () => ({ body: {} }))
  const headers = { 'Content-Type': 'application/openstack-images-v2.1-json-patch', 'X-Auth-Token': 'mine' }
  await client.service().send('PATCH', 'image', '/images/i-1', z.unknown(), { body: [{ op: 'add' }], headers })
  expect(last()?.headers['content-type']).toBe('application/openstack-images-v2.1-json-patch')
  expect(last()?.token?.user.name).toBe('mainstay')
  expect(last()?.body).toEqual([{ op: 'add' }])
})

test.each([
  '/servers/../../v3/users',
  '/servers/%2e%2e/flavors',
  '/servers//x',
  '/servers/a?b=c',
  '/servers/a#b',
  'x',
  '/a b',
])('sends no request for a path that could leave the service root: %s', async (path) => {
  const before = client.fake.received.length
  expect(await problemOf(client.service().get('compute', path, z.unknown()))).toMatchObject({ code: 'not_found' })
  expect(client.fake.received.slice(before).every((call) => call.path === '/auth/tokens')).toBe(true)
})

test('stops reading a response that is too large', { tags: 'all' }, async () => {
  const bytes = Buffer.alloc(65 * 1024 ** 2, ' ')
  client.fake.on('compute', 'GET', '/endless', () => ({ text: bytes }))
  expect(await problemOf(client.service().get('compute', '/endless', z.unknown()))).toMatchObject({
    code: 'engine_unavailable',
    message: 'The compute service cannot be reached: its response is too large',
  })
})

test("rejects with the caller's reason when the caller aborts", async () => {
  client.fake.on('compute', 'GET', '/slow', () => new Promise(() => {}))
  const giveUp = new AbortController()
  const attempt = client.service().get('compute', '/slow', z.unknown(), { signal: giveUp.signal })
  setTimeout(() => giveUp.abort(new Error('Gone home')), 50)
  await expect(attempt).rejects.toThrow('Gone home')
  const before = client.service().get('compute', '/thing', z.unknown(), { signal: giveUp.signal })
  await expect(before).rejects.toThrow('Gone home')
})

test('fails when the response misses the deadline', async () => {
  const { fake } = client
  fake.on('compute', 'GET', '/slow', () => new Promise(() => {}))
  const since = performance.now()
  const problem = await problemOf(client.service().get('compute', '/slow', z.unknown(), { deadlineMs: 300 }))
  expect(problem.message).toBe('The compute service did not respond within 0.3 s')
  expect(performance.now() - since).toBeLessThan(20_000)
})

test.each([
  ['SSH-2.0-OpenSSH\r\n', 'its response could not be understood'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"', 'it closed the connection'],
  ['HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{"a"', 'it closed the connection'],
])('describes an invalid or incomplete HTTP response: %j', async (bytes, words) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cloud = createCloud({ authUrl: `http://127.0.0.1:${port}`, log: noLog })
  const problem = await problemOf(cloud.inspect(new Secret('token')))
  expect(problem.message).toBe(`The identity service cannot be reached: ${words}`)
  await cloud.close()
  server.close()
})
