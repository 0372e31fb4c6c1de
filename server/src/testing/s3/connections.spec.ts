import { once } from 'node:events'
import http from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { CreateBucketCommand, ListBucketsCommand, PutBucketPolicyCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { signRequest } from '@mainstay/engines/s3/signature/sign'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { limits } from '../../limits'
import { startS3, type S3Bench } from './clients/client'

/* Connections to the S3 port, and paths with an empty bucket name. */

const OF_ADDRESS = 30
let bench: S3Bench
let made: Awaited<ReturnType<S3Bench['client']>>
beforeAll(async () => {
  bench = await startS3({ limits: { ...limits, connections: { ...limits.connections, ofAddress: OF_ADDRESS } } })
  made = await bench.client('project-member')
  await made.s3.send(new CreateBucketCommand({ Bucket: 'addresses' }))
  await made.s3.send(new PutObjectCommand({ Bucket: 'addresses', Key: 'key', Body: 'bytes' }))
})
afterAll(() => bench.close())

it('limits the connections per address with a clear error and serves other addresses', async () => {
  const { port } = new URL(bench.endpoint)
  const open = (): Socket => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.77' })
    socket.on('error', () => undefined)
    // an incomplete request keeps the connection open
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
    return socket
  }
  const held = Array.from({ length: OF_ADDRESS }, open)
  try {
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    const said = await Promise.race([
      text(open()),
      new Promise<string>((resolve) => setTimeout(() => resolve('nothing'), 5000)),
    ])
    expect(said).toMatch(/^HTTP\/1\.1 503 [^]*\r\nContent-Type: application\/xml\r\n[^]*<Code>SlowDown<\/Code>/)
    expect((await made.s3.send(new ListBucketsCommand({}))).Buckets).toHaveLength(1)
  } finally {
    for (const socket of held) socket.destroy()
  }
})

it('limits the request rate per address and sends Retry-After', { tags: 'all' }, async () => {
  const address = { burst: 20, perSecond: 0.1 }
  const other = await startS3({ limits: { ...limits, rates: { ...limits.rates, address } } })
  try {
    const ask = (localAddress: string) =>
      new Promise<[number, string | undefined]>((resolve, reject) => {
        const request = http.get(`${other.endpoint}/none/key`, { localAddress, agent: false }, (answer) => {
          answer.resume()
          resolve([answer.statusCode!, answer.headers['retry-after']])
        })
        request.once('error', reject)
      })
    for (let count = 0; count < address.burst; count++) expect((await ask('127.0.0.77'))[0]).toBe(404)
    const [status, after] = await ask('127.0.0.77')
    expect([status, Number(after) > 0, Number(after) <= 1 / address.perSecond]).toEqual([503, true, true])
    expect((await ask('127.0.0.78'))[0]).toBe(404)
  } finally {
    await other.close()
  }
})

it(
  'closes a connection when the client stops sending, but not while the server is working',
  { tags: 'all' },
  async () => {
    const idleOfS3Ms = 1500
    const other = await startS3({ limits: { ...limits, connections: { ...limits.connections, idleOfS3Ms } } })
    try {
      const { s3 } = await other.client('project-member')
      await s3.send(new CreateBucketCommand({ Bucket: 'slow' }))
      const { hostname, port } = new URL(other.endpoint)
      const open = { Effect: 'Allow', Principal: '*', Action: 's3:PutObject', Resource: 'arn:aws:s3:::slow/*' }
      await s3.send(new PutBucketPolicyCommand({ Bucket: 'slow', Policy: JSON.stringify({ Statement: open }) }))
      /** Sends half of an upload, and then nothing more. */
      const silent = (): Socket => {
        const socket = connect({ port: Number(port), host: hostname })
        socket.on('error', () => undefined)
        socket.resume()
        socket.write(`PUT /slow/key HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000\r\n\r\nhalf`)
        return socket
      }
      await once(silent(), 'close')
      // a client that stops sending while the server is busy is also disconnected
      const late = await other.server.sql.transaction(async (tx) => {
        await tx.query('lock table s3_bucket in access exclusive mode')
        const socket = silent()
        await new Promise((resolve) => setTimeout(resolve, 4 * idleOfS3Ms))
        expect(socket.closed).toBe(false)
        return socket
      })
      await once(late, 'close')
      // a lock on the bucket's row makes writers wait
      let write: Promise<unknown>
      await other.server.sql.transaction(async (tx) => {
        await tx.query(`select 1 from s3_bucket where name = 'slow' for update`)
        write = s3.send(new PutObjectCommand({ Bucket: 'slow', Key: 'key', Body: 'bytes' }))
        write.catch(() => undefined)
        await new Promise((resolve) => setTimeout(resolve, 4 * idleOfS3Ms))
      })
      expect(await write!).toMatchObject({ $metadata: { httpStatusCode: 200, attempts: 1 } })
    } finally {
      await other.close()
    }
  },
)

it('refuses an unauthorized anonymous deletion before reading the list of keys', async () => {
  const { hostname, port } = new URL(bench.endpoint)
  const socket = connect({ port: Number(port), host: hostname })
  socket.on('error', () => undefined)
  // the rest of the body is never sent
  socket.write(`POST /addresses?delete HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 2000000\r\n\r\n<Delete>`)
  const [said] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(said.toString()).toMatch(/^HTTP\/1\.1 403 /)
})

it('refuses a path with an empty bucket name instead of using the next segment', async () => {
  const { host, port, hostname } = new URL(bench.endpoint)
  const ask = async (method: string, path: string) => {
    const { accessKey, secretKey } = made
    const request = { method, path, query: [], headers: { host }, payload: 'UNSIGNED-PAYLOAD' }
    const headers = signRequest(request, { accessKey, secretKey }, S3_REGION)
    const [response] = (await once(
      http.request({ method, host: hostname, port, path, headers, agent: false }).end(),
      'response',
    )) as [http.IncomingMessage]
    return `${response.statusCode} ${/<Code>(\w+)</.exec(await text(response))?.[1] ?? ''}`
  }
  expect(await ask('GET', '/addresses/key')).toBe('200 ')
  for (const path of ['//addresses/key', '//addresses', '///', '//'])
    expect([path, await ask('GET', path)]).toEqual([path, '400 InvalidURI'])
  expect(await ask('DELETE', '//addresses/key')).toBe('400 InvalidURI')
  expect(await ask('GET', '/')).toBe('200 ')
})
