import { createHash } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketEncryptionCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { session } from '@mainstay/contract/identity/session'
import { s3Runs, type S3Run, type S3RunDraft } from '@mainstay/contract/object-storage/s3-files'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { s3OnBehalfOf, type OwnS3 } from '../../proxies/s3/own-calls'
import { startS3, type S3Bench } from '../../testing/s3/clients/client'
import type { PersonaName } from '../../testing/personas'
import { doBatch } from './runs/batches'

const as = 'project-member'
let bench: S3Bench
let s3: S3Client
beforeAll(async () => {
  bench = await startS3()
  ;({ s3 } = await bench.client(as))
})
afterAll(() => bench.close())

let count = 0
let Bucket: string
let other: string
beforeEach(async () => {
  count += 1
  ;[Bucket, other] = [`runs-${count}`, `runs-other-${count}`]
  for (const name of [Bucket, other]) await s3.send(new CreateBucketCommand({ Bucket: name }))
})
const put = (Key: string, Body = Key, more: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const keysOf = async (bucket = Bucket): Promise<string[]> =>
  ((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(({ Key }) => Key!)
const textOf = async (Key: string, bucket = Bucket) =>
  (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body!.transformToString()
/** Inserts many small objects directly into the database. */
const fill = (prefix: string, most: number) =>
  bench.server.sql.query(
    `insert into s3_object (bucket_id, key, size, etag, inline, head)
       select id, $2 || lpad(n::text, 6, '0'), 1, '9dd4e461268c8034f5c8564e155c67a6', 'x', '{"headers":{},"metadata":{}}'
         from s3_bucket, generate_series(1, $3::int) as n where name = $1`,
    [Bucket, prefix, most],
  )

type Draft = Omit<S3RunDraft, 'bucket' | 'overwrite'> & { overwrite?: boolean }
const begin = (draft: Draft, who: PersonaName | { token: string } = as) =>
  bench.server.call(s3Runs.create, { as: who, body: { bucket: Bucket, ...draft } })
const view = (id: string, who: PersonaName = as) => bench.server.call(s3Runs.view, { as: who, params: { id } })
async function over({ id }: S3Run): Promise<S3Run> {
  await expect.poll(async () => (await view(id!)).state, { timeout: 60_000 }).not.toBe('running')
  return view(id!)
}
/** Waits until the task of a run has finished, which takes slightly longer than the run itself. */
async function taskOf({ task_id }: S3Run) {
  const task = () => bench.server.call(tasks.view, { as, params: { id: task_id! } })
  await expect.poll(async () => taskIsOver((await task()).state), { timeout: 20_000 }).toBe(true)
  return task()
}
const to = (folder: string, more: { bucket?: string; name?: string } = {}) => ({ bucket: Bucket, folder, ...more })

it('renames, copies, moves or deletes a single file immediately and keeps its type and metadata', async () => {
  await put('a/1.txt', 'one', { ContentType: 'text/x-own', Metadata: { from: 'me' } })
  expect(await begin({ action: 'move', keys: ['a/1.txt'], to: to('a/', { name: 'renamed.txt' }) })).toEqual({
    ...{ id: null, task_id: null, action: 'move', state: 'success', done: 1, failed: 0, faults: [] },
  })
  expect(await keysOf()).toEqual(['a/renamed.txt'])
  await begin({ action: 'copy', keys: ['a/renamed.txt'], to: to('b/', { bucket: other }) })
  const found = await s3.send(new GetObjectCommand({ Bucket: other, Key: 'b/renamed.txt' }))
  expect([found.ContentType, found.Metadata]).toEqual(['text/x-own', { from: 'me' }])
  await begin({ action: 'delete', keys: ['a/renamed.txt'] })
  expect([await keysOf(), await keysOf(other)]).toEqual([[], ['b/renamed.txt']])
  await expect(begin({ action: 'copy', keys: ['none'], to: to('b/') })).rejects.toMatchObject({ code: 'not_found' })
})

it('overwrites existing objects only on request', async () => {
  await put('a', 'new')
  await put('b/a', 'old')
  const draft = { action: 'copy' as const, keys: ['a'], to: to('b/') }
  await expect(begin(draft)).rejects.toMatchObject({ status: 409, data: { code: 'KeyExists' } })
  expect(await textOf('b/a')).toBe('old')
  await begin({ ...draft, overwrite: true })
  expect(await textOf('b/a')).toBe('new')
})

it('copies and moves folders and their contents in a task', async () => {
  for (const key of ['a/', 'a/1', 'a/b/2', 'a/b/ü+ %2F', 'a/../3', 'ab', 'c']) await put(key)
  const copy = await begin({ action: 'copy', keys: ['a/', 'c'], to: to('copies/', { bucket: other }) })
  expect(copy).toMatchObject({ id: expect.any(String), task_id: expect.any(String), state: 'running' })
  expect(await over(copy)).toMatchObject({ state: 'success', done: 6, failed: 0 })
  expect(await keysOf(other)).toEqual([
    'copies/a/',
    'copies/a/../3',
    'copies/a/1',
    'copies/a/b/2',
    'copies/a/b/ü+ %2F',
    'copies/c',
  ])
  expect(await textOf('copies/a/b/ü+ %2F', other)).toBe('a/b/ü+ %2F')
  expect(await keysOf()).toHaveLength(7)
  expect(await over(await begin({ action: 'move', keys: ['a/'], to: to('', { name: 'renamed' }) }))).toMatchObject({
    ...{ state: 'success', done: 5, failed: 0 },
  })
  expect(await keysOf()).toEqual([
    'ab',
    'c',
    'renamed/',
    'renamed/../3',
    'renamed/1',
    'renamed/b/2',
    'renamed/b/ü+ %2F',
  ])
  expect(await taskOf(copy)).toMatchObject({ name: 'object_storage.objects.copy', state: 'success', cancellable: true })
})

it('keeps the encryption of the source unless the target bucket has a default encryption', async () => {
  await put('a/plain')
  await put('a/sealed', 'x', { ServerSideEncryption: 'AES256' })
  await put('a/by-key', 'x', { ServerSideEncryption: 'aws:kms' })
  const key = Buffer.alloc(32, 'k')
  const SSECustomerKeyMD5 = createHash('md5').update(key).digest('base64')
  await put('a/own', 'x', { SSECustomerAlgorithm: 'AES256', SSECustomerKey: key.toString('base64'), SSECustomerKeyMD5 })
  const modes = (prefix: string) =>
    Promise.all(
      ['plain', 'sealed', 'by-key'].map(async (name) => {
        const { ServerSideEncryption: mode } = await s3.send(
          new HeadObjectCommand({ Bucket: other, Key: `${prefix}${name}` }),
        )
        return mode ?? null
      }),
    )
  const first = await over(await begin({ action: 'copy', keys: ['a/'], to: to('', { bucket: other }) }))
  expect([first.done, first.faults.map(({ key: name, code }) => `${name} ${code}`)]).toEqual([
    3,
    ['a/own InvalidRequest'],
  ])
  expect(await modes('a/')).toEqual([null, 'AES256', 'aws:kms'])
  await begin({ action: 'move', keys: ['a/sealed'], to: to('moved/', { bucket: other }) })
  const moved = await s3.send(new HeadObjectCommand({ Bucket: other, Key: 'moved/sealed' }))
  expect(moved.ServerSideEncryption).toBe('AES256')
  await put('a/sealed', 'x', { ServerSideEncryption: 'AES256' })
  const ServerSideEncryptionConfiguration = {
    Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' as const } }],
  }
  await s3.send(new PutBucketEncryptionCommand({ Bucket: other, ServerSideEncryptionConfiguration }))
  await over(await begin({ action: 'copy', keys: ['a/'], to: to('again/', { bucket: other }) }))
  expect(await modes('again/a/')).toEqual(['aws:kms', 'aws:kms', 'aws:kms'])
})

it('counts processed and failed objects and gives the reasons', async () => {
  for (const key of ['a/1', 'a/2', 'a/3', 'b/2']) await put(key)
  const moved = await over(await begin({ action: 'move', keys: ['a/', 'a/1', 'none'], to: to('', { bucket: other }) }))
  expect(moved).toMatchObject({ state: 'failed', done: 3, failed: 1, faults: [{ key: 'none', code: 'NoSuchKey' }] })
  await put('a/2', 'again')
  const second = await over(await begin({ action: 'move', keys: ['a/'], to: to('', { bucket: other }) }))
  expect(second).toMatchObject({ state: 'failed', done: 0, failed: 1, faults: [{ key: 'a/2', code: 'KeyExists' }] })
  expect(await textOf('a/2')).toBe('again')
  expect(await taskOf(second)).toMatchObject({ state: 'failed', err_code: 'not_all_done' })
})

it('checks the user’s permissions for every object', async () => {
  for (const key of ['a/1', 'a/2', 'a/3']) await put(key)
  const deny = (Action: string, key: string) => ({
    ...{ Effect: 'Deny', Principal: '*', Action, Resource: `arn:aws:s3:::${Bucket}/${key}` },
  })
  const Statement = [deny('s3:DeleteObject', 'a/2'), deny('s3:GetObject', 'a/3')]
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }))
  const run = await over(await begin({ action: 'move', keys: ['a/'], to: to('', { bucket: other }) }))
  expect(run).toMatchObject({ state: 'failed', done: 1, failed: 2 })
  expect(run.faults.map(({ key, code }) => `${key} ${code}`).toSorted()).toEqual([
    'a/2 AccessDenied',
    'a/3 AccessDenied',
  ])
  expect([await keysOf(), await keysOf(other)]).toEqual([
    ['a/2', 'a/3'],
    ['a/1', 'a/2'],
  ])
  await expect(begin({ action: 'delete', keys: ['a/'] }, 'other-member')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(view(run.id!, 'other-member')).rejects.toMatchObject({ code: 'not_found' })
  await expect(view('none')).rejects.toMatchObject({ code: 'not_found' })
})

it('empties a large bucket and reports the progress of a cancelled run', { timeout: 120_000 }, async () => {
  await fill('a/', 6000)
  await put('b')
  const emptied = await over(await begin({ action: 'delete', keys: [''] }))
  expect(emptied).toMatchObject({ state: 'success', done: 6001 })
  expect(await keysOf()).toEqual([])
  await fill('a/', 6000)
  const run = await begin({ action: 'copy', keys: ['a/'], to: to('b/') })
  await expect.poll(async () => (await view(run.id!)).done, { timeout: 60_000 }).toBeGreaterThan(0)
  await bench.server.call(tasks.cancel, { as, params: { id: run.task_id! } })
  const { state, done } = await over(run)
  const [row] = await bench.server.sql.query<{ count: number }>(
    `select count(*)::int as count from s3_object o join s3_bucket b on b.id = o.bucket_id
      where b.name = $1 and o.key like 'b/%'`,
    [Bucket],
  )
  expect([state, done]).toEqual(['cancelled', row!.count])
  expect(done).toBeLessThan(6000)
})

it('aborts a run when the session that started it ends', { timeout: 60_000 }, async () => {
  await fill('a/', 6000)
  const token = await bench.server.signInAnew(as)
  const run = await begin({ action: 'copy', keys: ['a/'], to: to('b/') }, { token })
  await bench.server.call(session.logout, { as: { token } })
  await bench.server.signInAnew(as)
  const state = async () => (await view(run.id!, as)).state
  await expect.poll(state, { timeout: 60_000 }).toBe('failed')
  expect((await taskOf(run)).error).toBe('The user who started this task has signed out')
})

it('keeps a source object that was overwritten after it was copied', async () => {
  for (const key of ['a/1', 'a/2']) await put(key)
  const port = bench.server.tools.ports['object-storage']
  const { user, domain } = bench.server.cast.people[as]
  const signer = await port.signer({ user_id: user.id, domain_id: domain.id })
  const own = s3OnBehalfOf({ upstream: port.upstream()!, signer, source: null }, new AbortController().signal)
  const late: OwnS3 = {
    ...own,
    removeMany: async (...given) => {
      await put('a/1', 'newer')
      return own.removeMany(...given)
    },
  }
  const plan = { action: 'move' as const, bucket: Bucket, overwrite: false, keys: ['a/'], target: to('b/') }
  const batch = (await own.list(Bucket, 'a/', '')).objects.map(({ key, etag }) => ({ key, source: 0, etag }))
  const { done, faults } = await doBatch(late, plan, batch)
  expect([done, faults.map(({ key, code }) => `${key} ${code}`)]).toEqual([1, ['a/1 Changed']])
  expect(await keysOf()).toEqual(['a/1', 'b/a/1', 'b/a/2'])
  expect(await textOf('a/1')).toBe('newer')
})

it('deletes keys that contain special characters', async () => {
  const odd = ['a\u2028b', 'a\u0085b', 'a\u0080b', 'a\u009fb', 'a\rb', 'a&<"b']
  for (const key of ['a\nb', ...odd]) await put(key)
  await begin({ action: 'delete', keys: ['a\u2028b'] })
  expect(await textOf('a\nb')).toBe('a\nb')
  expect(await over(await begin({ action: 'delete', keys: odd }))).toMatchObject({ state: 'success' })
  expect(await keysOf()).toEqual(['a\nb'])
})

it('refuses invalid requests without changing anything', async () => {
  await put('a/1')
  const refused = async (draft: Draft) =>
    begin(draft).then(
      () => 'taken',
      (problem: { code: string; fields: object }) => [problem.code, ...Object.keys(problem.fields)].join(' '),
    )
  expect([
    await refused({ action: 'delete', keys: ['a/'], to: to('b/') }),
    await refused({ action: 'copy', keys: ['a/'] }),
    await refused({ action: 'copy', keys: [''], to: to('b/') }),
    await refused({ action: 'move', keys: ['a/'], to: to('a/b/') }),
    await refused({ action: 'move', keys: ['a/'], to: to('') }),
    await refused({ action: 'move', keys: ['a/1'], to: to('a/') }),
    await refused({ action: 'move', keys: ['a/1', 'b'], to: to('b/', { name: 'x' }) }),
    await refused({ action: 'move', keys: ['a/1'], to: to('b/', { name: 'x/y' }) }),
    await refused({ action: 'move', keys: ['a/1'], to: to('b') }),
    await refused({ action: 'copy', keys: ['a/1'], to: to('b/', { bucket: 'no-such-bucket' }) }),
    await refused({ action: 'copy', keys: ['a/1'], to: to(`${'x'.repeat(1023)}/`) }),
    await refused({ action: 'move', keys: ['a/1', 'b/1'], to: to('c/') }),
  ]).toEqual([
    ...['validation to', 'validation to', 'validation keys', 'validation to.folder', 'validation to.folder'],
    ...['validation to.folder', 'validation to.name', 'validation to.name', 'validation to.folder'],
    ...['not_found', 'validation', 'validation keys'],
  ])
  expect(await keysOf()).toEqual(['a/1'])
})
