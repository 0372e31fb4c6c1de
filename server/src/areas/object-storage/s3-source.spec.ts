import { once } from 'node:events'
import http from 'node:http'
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Links, s3Metadata, s3Runs } from '@mainstay/contract/object-storage/s3-files'
import { S3_SOURCE_HEADER } from '@mainstay/engines/s3/source'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused } from '../../testing/s3/clients/client'
import { consoleClient } from '../../testing/s3/clients/console-client'
import { startServer, type TestServer } from '../../testing/start-server'

/* Client addresses in bucket policies. In these tests, a proxy passes on the client's address. */

const as = 'project-member'
const Bucket = 'from-somewhere'
const [inside, outside] = ['203.0.113.7', '198.51.100.1']
const from = (address: string, protocol = 'https') => ({ 'x-forwarded-for': address, 'x-forwarded-proto': protocol })

let server: TestServer
let endpoint: string
const clients: S3Client[] = []
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
  endpoint = (await server.tools.ports['object-storage'].service()).endpoint!
  const s3 = await atConsole()
  await s3.send(new CreateBucketCommand({ Bucket }))
  for (const Key of ['file', 'folder/file']) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'here' }))
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.close()
})

async function atConsole(headers: Record<string, string> = {}): Promise<S3Client> {
  const client = consoleClient(server.url, await server.signIn(as), headers)
  clients.push(client)
  return client
}

/** An S3 client for the public endpoint, which programs use. */
async function program(headers: Record<string, string> = {}): Promise<S3Client> {
  const { acc_key: accessKeyId, sec_key: secretAccessKey } = await server.call(s3Keys.create, { as, body: {} })
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })
  // the headers are added before the request is signed, so that the signature covers them
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, headers)
      return next(args)
    },
    { step: 'build' },
  )
  clients.push(client)
  return client
}

const read = async (client: S3Client | Promise<S3Client>) =>
  refused((await client).send(new GetObjectCommand({ Bucket, Key: 'file' })))
const good = 'nothing went wrong'

/** Denies read access under a condition. */
const deny = async (Condition: object) =>
  (await atConsole()).send(
    new PutBucketPolicyCommand({
      Bucket,
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*`, Condition },
        ],
      }),
    }),
  )

it('applies policies to the actual client address and ignores addresses that the client claims to have', async () => {
  await deny({ NotIpAddress: { 'aws:SourceIp': '203.0.113.0/24' } })
  expect(await read(atConsole(from(inside)))).toBe(good)
  expect(await read(atConsole(from(outside)))).toBe('AccessDenied')
  // clients cannot set their own address, neither through the console nor at the endpoint
  const claim = { [S3_SOURCE_HEADER]: `http ${inside}` }
  expect(await read(atConsole({ ...from(outside), ...claim }))).toBe('AccessDenied')
  expect(await read(program())).toBe('AccessDenied')
  expect(await read(program({ ...claim, ...from(outside) }))).toBe('AccessDenied')
})

it('trusts only a proxy in front of the public endpoint to report the client address', async () => {
  await (
    await atConsole()
  ).send(
    new PutBucketPolicyCommand({
      Bucket,
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: {
          ...{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` },
          Condition: { IpAddress: { 'aws:SourceIp': '203.0.113.0/24' }, Bool: { 'aws:SecureTransport': 'true' } },
        },
      }),
    }),
  )
  /** Returns the status of an anonymous request sent from `localAddress`. */
  const status = async (headers: Record<string, string>, localAddress = '127.0.0.1') => {
    const request = http.get(`${endpoint}/${Bucket}/file`, { headers, localAddress, agent: false })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    return response.statusCode
  }
  expect(await status(from(inside))).toBe(200)
  expect(await status(from(`${outside}, ${inside}`))).toBe(200)
  expect(await status(from(`${inside}, 127.0.0.1`))).toBe(200)
  expect(await status(from(`${inside}, ${outside}`))).toBe(403)
  expect(await status(from(`${inside}, nobody`))).toBe(403)
  expect(await status(from(inside, 'http'))).toBe(403)
  expect(await status(from(inside, 'https, http'))).toBe(403)
  expect(await status({ 'x-forwarded-for': inside })).toBe(403)
  expect(await status({})).toBe(403)
  expect(await status(from(inside), '127.0.0.9')).toBe(403)
})

it('uses the user’s address when the server makes S3 calls on behalf of the user', async () => {
  await deny({ NotIpAddress: { 'aws:SourceIp': '203.0.113.0/24' } })
  const asked = { as, query: { bucket: Bucket, key: 'file' } } as const
  expect(await server.call(s3Metadata.view, { ...asked, headers: from(inside) })).toMatchObject({ metadata: {} })
  await expect(server.call(s3Metadata.view, { ...asked, headers: from(outside) })).rejects.toMatchObject({
    code: 'forbidden',
  })
  const keys = await server.call(s3Keys.account, { as })
  const link = { bucket: Bucket, key: 'file', acc_key: keys.keys[0]!.acc_key, seconds: 60 }
  expect((await server.fetch(s3Links.create, { as, body: link, headers: from(inside) })).status).toBe(201)
  expect((await server.fetch(s3Links.create, { as, body: link, headers: from(outside) })).status).toBe(403)
  const copied = async (address: string, to: string) => {
    const { id } = await server.call(s3Runs.create, {
      as,
      body: { action: 'copy', bucket: Bucket, keys: ['folder/'], to: { bucket: Bucket, folder: to } },
      headers: from(address),
    })
    const view = () => server.call(s3Runs.view, { as, params: { id: id! } })
    await expect.poll(async () => (await view()).state, { timeout: 20_000 }).not.toBe('running')
    const { state, done, failed } = await view()
    return { state, done, failed }
  }
  expect(await copied(inside, 'there/')).toEqual({ state: 'success', done: 1, failed: 0 })
  expect(await copied(outside, 'elsewhere/')).toEqual({ state: 'failed', done: 0, failed: 1 })
})

it("applies policies that require TLS to the user's connection", async () => {
  await deny({ Bool: { 'aws:SecureTransport': 'false' } })
  expect(await read(atConsole(from(inside, 'https')))).toBe(good)
  expect(await read(atConsole(from(inside, 'http')))).toBe('AccessDenied')
  const claim = { [S3_SOURCE_HEADER]: `https ${inside}` }
  expect(await read(atConsole({ ...from(inside, 'http'), ...claim }))).toBe('AccessDenied')
})
