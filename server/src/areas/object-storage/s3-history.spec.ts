import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { s3History } from '@mainstay/contract/object-storage/s3-history'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { lineOf } from '../../metrics/sample'
import { noStore, type MetricsStore } from '../../metrics/store/metrics-store'
import { testMetricsStore } from '../../testing/metrics-store'
import type { PersonaName } from '../../testing/personas'
import { consoleClient } from '../../testing/s3/clients/console-client'
import { startServer, type TestServer } from '../../testing/start-server'
import { bucketSampler } from '../monitoring/samplers/buckets'

const as = 'project-member'
let kept: MetricsStore
let current: MetricsStore
let server: TestServer
let client: S3Client
beforeAll(async () => {
  kept = current = await testMetricsStore()
  server = await startServer({
    metricsStore: {
      get advice() {
        return current.advice
      },
      ask: (...given) => current.ask(...given),
      // drop all samples except those taken by the tests
      push: async () => undefined,
      close: async () => undefined,
    },
  })
  client = consoleClient(server.url, await server.signIn(as))
})
afterAll(async () => {
  client.destroy()
  await server.close()
})
beforeEach(() => {
  current = kept
})

/** Samples all buckets. The samples are timestamped `ago` seconds in the past. */
async function sample(ago: number): Promise<void> {
  const sampler = bucketSampler(server.tools)!
  const samples = await sampler.take(new AbortController().signal)
  await kept.push(samples.map((it) => lineOf(it, Date.now() - ago * 1000)))
  await kept.flush!()
}
const step = 600
function view(bucket: string, who: PersonaName = as, more: object = {}) {
  const end = Math.ceil(Date.now() / 1000 / step) * step
  const query = { start: String(end - 6 * step), end: String(end), step: String(step), ...more }
  return server.call(s3History.view, { as: who, params: { bucket }, query })
}
const known = (values: readonly (number | null)[]) => [...new Set(values.filter((it) => it !== null))]

it('returns the size and object count over time, with gaps where there are no samples', async () => {
  const Bucket = 'history-grows'
  await client.send(new CreateBucketCommand({ Bucket }))
  await sample(3000)
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x'.repeat(1000) }))
  await sample(1500)
  for (const Key of ['b', 'c']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x'.repeat(20_000) }))
  await sample(5)
  const history = await view(Bucket)
  expect(history.step).toBe(step)
  expect([history.size.length, history.objects.length]).toEqual([7, 7])
  expect(known(history.size)).toEqual([0, 1000, 41_000])
  expect(known(history.objects)).toEqual([0, 1, 3])
  expect(history.size).toContain(null)
})

it('belongs to the bucket rather than to its name, and requires permission to list the bucket', async () => {
  const Bucket = 'history-twice'
  await client.send(new CreateBucketCommand({ Bucket }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'secret size' }))
  await sample(1500)
  await expect(view(Bucket, 'other-member')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(view('history-never-made')).rejects.toMatchObject({ code: 'not_found' })
  await expect(view(Bucket, 'superuser')).rejects.toMatchObject({ code: 'forbidden' })
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
  await client.send(new DeleteBucketCommand({ Bucket }))
  const other = consoleClient(server.url, await server.signIn('other-member'))
  await other.send(new CreateBucketCommand({ Bucket }))
  other.destroy()
  expect(known((await view(Bucket, 'other-member')).size)).toEqual([])
})

it('refuses invalid time ranges and reports a missing metrics store', async () => {
  const Bucket = 'history-refused'
  await client.send(new CreateBucketCommand({ Bucket }))
  await expect(view(Bucket, as, { start: '0' })).rejects.toMatchObject({
    status: 400,
    fields: { start: expect.anything() },
  })
  await expect(view(Bucket, as, { end: '5' })).rejects.toMatchObject({
    status: 400,
    fields: { end: expect.anything() },
  })
  current = noStore('Install it')
  await expect(view(Bucket)).rejects.toMatchObject({ code: 'metrics_missing' })
  await server.call(s3Service.delete, { as: 'superuser' })
  await expect(view(Bucket)).rejects.toMatchObject({ code: 's3_not_found' })
  await server.call(s3Service.create, { as: 'superuser' })
})

it('samples buckets in turn if a round cannot include all of them', async () => {
  const names = async (after: string | undefined) =>
    (await server.tools.ports['object-storage'].bucketUsages(after, 2)).map(({ id, name }) => [id, name] as const)
  const [first, second] = await names(undefined)
  const [third] = await names(second![0])
  expect(new Set([first![1], second![1], third![1]]).size).toBe(3)
})
