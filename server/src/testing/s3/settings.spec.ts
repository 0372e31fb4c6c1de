import {
  CreateBucketCommand,
  DeleteBucketTaggingCommand,
  GetBucketTaggingCommand,
  PutBucketTaggingCommand,
  type S3Client,
  type Tag,
} from '@aws-sdk/client-s3'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Bucket settings, as the owner changes them with an S3 client. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
const Bucket = 'settings'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => bench.close())

it('keeps a bucket’s tags until they are replaced or removed', async () => {
  const tags = async () => (await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet
  const put = (TagSet: Tag[]) => s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }))
  expect(await refused(tags())).toBe('NoSuchTagSet')
  await put([
    { Key: 'stage', Value: 'production' },
    { Key: 'costs <&>', Value: '' },
  ])
  expect(await tags()).toEqual([
    { Key: 'costs <&>', Value: '' },
    { Key: 'stage', Value: 'production' },
  ])
  await put([{ Key: 'only', Value: 'one' }])
  const twice = [1, 2].map((Value) => ({ Key: 'same', Value: `${Value}` }))
  const many = Array.from({ length: 51 }, (_, n) => ({ Key: `key-${n}`, Value: '' }))
  for (const wrong of [twice, many, [{ Key: '', Value: 'x' }], [{ Key: 'x'.repeat(129), Value: '' }]])
    expect(await refused(put(wrong))).toBe('InvalidTag')
  expect(await refused(put([{ Key: 'x', Value: 'x'.repeat(257) }]))).toBe('InvalidTag')
  for (const command of [new GetBucketTaggingCommand({ Bucket }), new DeleteBucketTaggingCommand({ Bucket })])
    expect(await refused(stranger.send(command as GetBucketTaggingCommand))).toBe('AccessDenied')
  expect(await tags()).toEqual([{ Key: 'only', Value: 'one' }])
  await s3.send(new DeleteBucketTaggingCommand({ Bucket }))
  expect(await refused(tags())).toBe('NoSuchTagSet')
})

/** Sends a request through the console's proxy. `path`: relative to the bucket, including the subresource. */
async function call(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const token = await bench.server.signIn('project-member')
  const answer = await fetch(`${bench.server.url}${S3_PROXY_PATH}/${Bucket}${path}`, {
    ...{ method, headers: { 'x-auth-token': token, authorization: 'AWS4-HMAC-SHA256 Credential=session', ...headers } },
    ...(body !== undefined && { body }),
  })
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? 'done'
  return { code, tag: answer.headers.get('etag') ?? '' }
}

const tagging = (value: string) =>
  `<Tagging><TagSet><Tag><Key>who</Key><Value>${value}</Value></Tag></TagSet></Tagging>`

it('replaces or removes a setting only if its ETag matches', async () => {
  const cors = (origin: string) =>
    `<CORSConfiguration><CORSRule><AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`
  const rules = (id: string) =>
    `<LifecycleConfiguration><Rule><ID>${id}</ID><Filter><Prefix/></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>`
  const policy = (Sid: string) =>
    JSON.stringify({
      Statement: { Sid, Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` },
    })
  const settings = { cors, lifecycle: rules, policy, tagging } as const
  for (const [name, document] of Object.entries(settings)) {
    const word = `?${name}`
    const put = async (text: string, condition = {}) => (await call('PUT', word, condition, document(text))).code
    expect([word, await put('one', { 'if-match': '"never-set"' })]).toEqual([word, 'PreconditionFailed'])
    expect(await put('one', { 'if-none-match': '*' })).toBe('done')
    expect(await put('other', { 'if-none-match': '*' })).toBe('PreconditionFailed')
    const { tag } = await call('GET', word)
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
    // two callers have read the same state
    const both = await Promise.all(['two', 'three'].map((text) => put(text, { 'if-match': tag })))
    expect(both.toSorted()).toEqual(['PreconditionFailed', 'done'])
    expect((await call('DELETE', word, { 'if-match': tag })).code).toBe('PreconditionFailed')
    expect(await put('four')).toBe('done')
    const now = await call('GET', word)
    expect((await call('DELETE', word, { 'if-match': now.tag })).code).toBe('done')
    expect((await call('GET', word)).code).toMatch(/^NoSuch/)
  }
})

it('replaces or removes object tags only if their ETag matches', async () => {
  const path = '/tagged?tagging'
  await call('PUT', '/tagged', {}, 'bytes')
  const put = async (text: string, condition = {}) => (await call('PUT', path, condition, tagging(text))).code
  // the tags of an object without tags have an ETag too
  const { tag: ofNone } = await call('GET', path)
  const first = await Promise.all(['one', 'two'].map((text) => put(text, { 'if-match': ofNone })))
  expect(first.toSorted()).toEqual(['PreconditionFailed', 'done'])
  expect(await put('three', { 'if-none-match': '*' })).toBe('PreconditionFailed')
  const { tag } = await call('GET', path)
  expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
  expect(tag).not.toBe(ofNone)
  expect(await put('four', { 'if-match': tag })).toBe('done')
  expect((await call('DELETE', path, { 'if-match': tag })).code).toBe('PreconditionFailed')
  expect(await put('five')).toBe('done')
  const now = await call('GET', path)
  expect((await call('DELETE', path, { 'if-match': now.tag })).code).toBe('done')
  expect((await call('GET', path)).tag).toBe(ofNone)
})
