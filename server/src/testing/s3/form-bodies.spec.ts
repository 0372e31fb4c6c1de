import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'
import { bodyOf, postTo, signedBy2, soon, type Field } from './clients/form-client'

/* Forms that are damaged, accidentally or on purpose. */

let bench: S3Bench
beforeAll(async () => {
  bench = await startS3()
})
afterAll(() => bench.close())

it('responds to any damaged form and keeps running', { tags: 'all' }, async () => {
  const { s3, ...signer } = await bench.client('project-member')
  await s3.send(new CreateBucketCommand({ Bucket: 'any-form' }))
  const url = `${bench.endpoint}/any-form`
  const policy = { expiration: soon(), conditions: [{ bucket: 'any-form' }, ['starts-with', '$key', '']] }
  const fields: Field[] = [['key', 'foo.txt'], ...signedBy2(signer, policy), ['x-ignore-a', 'b']]
  const whole = bodyOf([...fields, ['file', 'bar', 'bar.txt'], ['submit', 'x']])
  // a fixed seed makes the test repeatable
  let seed = 1
  const below = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
  const changes: ((body: Buffer) => Buffer)[] = [
    (body) => body.subarray(0, below(body.length)),
    (body) => Buffer.concat([body.subarray(below(body.length)), body]),
    (body) => Buffer.concat([body, body.subarray(below(body.length))]),
    (body) => {
      const other = Buffer.from(body)
      for (let n = 0; n < 5; n++) other[below(other.length)] = below(256)
      return other
    },
    (body) => {
      const at = below(body.length)
      return Buffer.concat([body.subarray(0, at), Buffer.from('\r\n\r\n--'), body.subarray(at)])
    },
  ]
  for (let n = 0; n < 200; n++) {
    const { status } = await postTo(url, changes[n % changes.length]!(whole), { atOnce: 1 + below(2000) })
    expect([n, status < 500]).toEqual([n, true])
  }
  expect((await postTo(url, whole)).status).toBe(204)
})
