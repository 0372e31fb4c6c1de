import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../testing/outcomes'
import { type ClientFixture, startClientFixture } from '../testing/client-fixture'

let client: ClientFixture
beforeEach(async () => {
  client = await startClientFixture()
  client.fake.on('image', 'PUT', '/images/:id/file', () => ({ status: 204 }))
})
afterEach(() => client.stop())
const file = '/images/i-1/file'
const sent = () => client.fake.received.filter(({ verb }) => verb === 'PUT')

test("uploads bytes unchanged with the caller's headers", async () => {
  const parts = [Buffer.alloc(300_000, 'a'), Buffer.alloc(300_001, 'b')]
  await client.service().upload('PUT', 'image', file, Readable.from(parts), { headers: { 'X-Image-Size': '600001' } })
  expect(sent()).toHaveLength(1)
  expect(sent()[0]?.bytes.equals(Buffer.concat(parts))).toBe(true)
  expect(sent()[0]?.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'x-image-size': '600001' })
})

test('reports why an upload was rejected and closes the source', async () => {
  client.fake.on('image', 'PUT', '/images/:id/file', () => ({
    status: 409,
    body: { message: 'Image status transition from active to saving is not allowed', title: 'Conflict' },
  }))
  const bytes = Readable.from([Buffer.from('x')])
  expect(await problemOf(client.service().upload('PUT', 'image', file, bytes))).toMatchObject({
    code: 'invalid_state',
    data: { service: 'image', status: 409 },
  })
  expect(bytes.destroyed).toBe(true)
})

test("rejects with the source's error if the source fails", async () => {
  const bytes = Readable.from(
    (async function* () {
      yield Buffer.alloc(100_000)
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('The browser went away')
    })(),
  )
  await expect(client.service().upload('PUT', 'image', file, bytes)).rejects.toThrow('The browser went away')
})

test('ends an upload when the caller aborts', async () => {
  const giveUp = new AbortController()
  const bytes = new Readable({ read: () => {} })
  bytes.push('begun')
  setTimeout(() => giveUp.abort(new Error('Cancelled')), 50)
  const attempt = client.service().upload('PUT', 'image', file, bytes, { signal: giveUp.signal })
  await expect(attempt).rejects.toThrow('Cancelled')
  expect(bytes.destroyed).toBe(true)
})

test('downloads bytes with their size', async () => {
  const text = Buffer.alloc(500_000, 'z')
  client.fake.on('image', 'GET', '/images/:id/file', () => ({
    text,
    headers: { 'content-type': 'application/octet-stream', 'content-md5': 'abc', 'content-length': '500000' },
  }))
  const { bytes, sizeBytes, headers } = await client.service().download('image', file)
  const parts: Buffer[] = []
  for await (const part of bytes as AsyncIterable<Buffer>) parts.push(part)
  expect(Buffer.concat(parts).equals(text)).toBe(true)
  expect(sizeBytes).toBe(500_000)
  expect(headers.get('content-md5')).toBe('abc')
})

test('reports a missing file before any bytes arrive', async () => {
  client.fake.on('image', 'GET', '/images/:id/file', () => ({
    status: 404,
    body: { message: 'No image found with ID i-1', title: 'Not Found' },
  }))
  expect(await problemOf(client.service().download('image', file))).toMatchObject({
    code: 'not_found',
    message: 'No image found with ID i-1',
  })
})

test('releases the connection when the reader stops', async () => {
  client.fake.on('image', 'GET', '/images/:id/file', () => ({ text: Buffer.alloc(20_000_000) }))
  for (let turn = 0; turn < 20; turn += 1) {
    const { bytes } = await client.service().download('image', file)
    bytes.destroy()
  }
  expect(client.fake.received.filter(({ path }) => path === file)).toHaveLength(20)
})
