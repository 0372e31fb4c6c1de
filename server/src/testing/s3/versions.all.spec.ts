import { randomBytes } from 'node:crypto'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type BucketVersioningStatus,
  type S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Object versions as seen by S3 clients. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
})
afterAll(() => bench.close())

let count = 0
const setVersioning = (Bucket: string, Status: BucketVersioningStatus) =>
  s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
async function newBucket(status?: BucketVersioningStatus): Promise<string> {
  const Bucket = `versions-${++count}`
  await s3.send(new CreateBucketCommand({ Bucket }))
  if (status) await setVersioning(Bucket, status)
  return Bucket
}
const put = async (Bucket: string, Key: string, Body: string | Buffer) =>
  (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId
const read = async (Bucket: string, Key: string, VersionId?: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))).Body!.transformToString()
const remove = (Bucket: string, Key: string, VersionId?: string) =>
  s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing went wrong',
    ({ name, $metadata }: S3ServiceException) =>
      ['Unknown', 'NotFound'].includes(name) ? String($metadata.httpStatusCode) : name,
  )
const versions = async (Bucket: string, more = {}) => {
  const answer = await s3.send(new ListObjectVersionsCommand({ Bucket, ...more }))
  return [
    ...(answer.Versions ?? []).map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest]),
    ...(answer.DeleteMarkers ?? []).map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest, 'marker']),
  ]
}
const keys = async (Bucket: string) =>
  ((await s3.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key }) => Key)

it('keeps every overwritten version, small or large, and reads it by its ID', async () => {
  const Bucket = await newBucket('Enabled')
  const status = await s3.send(new GetBucketVersioningCommand({ Bucket }))
  expect(status.Status).toBe('Enabled')
  const bodies = ['first', randomBytes(50_000).toString('hex'), 'third']
  const ids: (string | undefined)[] = []
  for (const body of bodies) ids.push(await put(Bucket, 'key', body))
  expect(new Set(ids).size).toBe(3)
  for (const [at, id] of ids.entries()) expect(await read(Bucket, 'key', id)).toBe(bodies[at])
  expect(await read(Bucket, 'key')).toBe('third')
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'key' }))
  expect(head.VersionId).toBe(ids[2])
  expect(await versions(Bucket)).toEqual([
    ['key', ids[2], true],
    ['key', ids[1], false],
    ['key', ids[0], false],
  ])
  expect(await keys(Bucket)).toEqual(['key'])
  expect(await refused(read(Bucket, 'key', '0'.repeat(32)))).toBe('NoSuchVersion')
  expect(await refused(read(Bucket, 'key', 'no version'))).toBe('InvalidArgument')
  expect(await refused(stranger.send(new GetObjectCommand({ Bucket, Key: 'key', VersionId: ids[0] })))).toBe(
    'AccessDenied',
  )
})

it('hides a deleted object behind a delete marker, and restores it when the marker is removed', async () => {
  const Bucket = await newBucket('Enabled')
  const first = await put(Bucket, 'key', 'kept')
  const { DeleteMarker, VersionId: marker } = await remove(Bucket, 'key')
  expect([DeleteMarker, await keys(Bucket)]).toEqual([true, []])
  expect(await versions(Bucket)).toEqual([
    ['key', first, false],
    ['key', marker, true, 'marker'],
  ])
  const missing = await s3.send(new GetObjectCommand({ Bucket, Key: 'key' })).catch((error: unknown) => error)
  const { name, $response } = missing as S3ServiceException
  const { headers } = $response as unknown as { headers: Record<string, string> }
  expect([name, headers['x-amz-delete-marker'], headers['x-amz-version-id']]).toEqual(['NoSuchKey', 'true', marker])
  expect(await refused(s3.send(new HeadObjectCommand({ Bucket, Key: 'key', VersionId: marker })))).toBe('405')
  expect(await read(Bucket, 'key', first)).toBe('kept')
  const gone = await remove(Bucket, 'key', marker)
  expect([gone.DeleteMarker, gone.VersionId]).toEqual([true, marker])
  expect(await read(Bucket, 'key')).toBe('kept')
})

it('reads the previous version once the latest is deleted, unless the previous one is a delete marker', async () => {
  const Bucket = await newBucket('Enabled')
  const [first, second] = [await put(Bucket, 'key', 'one'), await put(Bucket, 'key', 'two')]
  await remove(Bucket, 'key', second)
  expect(await read(Bucket, 'key')).toBe('one')
  const { VersionId: marker } = await remove(Bucket, 'key')
  const third = await put(Bucket, 'key', 'three')
  await remove(Bucket, 'key', third)
  expect(await refused(read(Bucket, 'key'))).toBe('NoSuchKey')
  expect(await versions(Bucket)).toEqual([
    ['key', first, false],
    ['key', marker, true, 'marker'],
  ])
  expect(await refused(s3.send(new DeleteBucketCommand({ Bucket })))).toBe('BucketNotEmpty')
  await remove(Bucket, 'key', first)
  await remove(Bucket, 'key', marker)
  await s3.send(new DeleteBucketCommand({ Bucket }))
})

it('uses the version ID "null" for objects written before versioning or while it is suspended', async () => {
  const Bucket = await newBucket()
  await put(Bucket, 'key', 'before')
  expect(await versions(Bucket)).toEqual([['key', 'null', true]])
  await setVersioning(Bucket, 'Enabled')
  const kept = await put(Bucket, 'key', 'kept')
  expect(await read(Bucket, 'key', 'null')).toBe('before')
  await setVersioning(Bucket, 'Suspended')
  // a bucket with suspended versioning returns no version ID
  expect(await put(Bucket, 'key', 'suspended')).toBeUndefined()
  expect(await read(Bucket, 'key', 'null')).toBe('suspended')
  await put(Bucket, 'key', 'suspended again')
  expect(await versions(Bucket)).toEqual([
    ['key', 'null', true],
    ['key', kept, false],
  ])
  const { VersionId, DeleteMarker } = await remove(Bucket, 'key')
  expect([VersionId, DeleteMarker]).toEqual(['null', true])
  expect(await versions(Bucket)).toEqual([
    ['key', kept, false],
    ['key', 'null', true, 'marker'],
  ])
  await setVersioning(Bucket, 'Enabled')
  await put(Bucket, 'key', 'last')
  expect(await read(Bucket, 'key', kept)).toBe('kept')
})

it('deletes versions and markers in bulk and reports each result', async () => {
  const Bucket = await newBucket('Enabled')
  const first = await put(Bucket, 'a', 'one')
  await put(Bucket, 'b', 'one')
  const answer = await s3.send(
    new DeleteObjectsCommand({
      Bucket,
      Delete: { Objects: [{ Key: 'a', VersionId: first }, { Key: 'b' }, { Key: 'b', VersionId: 'wrong' }] },
    }),
  )
  const told = answer.Deleted!.map(({ Key, VersionId, DeleteMarker }) => [Key, VersionId, DeleteMarker])
  expect(told).toEqual([
    ['b', undefined, true],
    ['a', first, undefined],
  ])
  expect(answer.Errors).toMatchObject([{ Key: 'b', VersionId: 'wrong', Code: 'InvalidArgument' }])
  expect(await keys(Bucket)).toEqual([])
})

it('copies a given version, including onto its own key to restore it', async () => {
  const Bucket = await newBucket('Enabled')
  const first = await put(Bucket, 'key', 'one')
  await put(Bucket, 'key', 'two')
  const CopySource = `${Bucket}/key?versionId=${first}`
  const copy = await s3.send(new CopyObjectCommand({ Bucket, Key: 'key', CopySource }))
  expect(copy.CopySourceVersionId).toBe(first)
  expect([await read(Bucket, 'key'), copy.VersionId]).toEqual(['one', (await versions(Bucket))[0]![1]])
  const { VersionId: marker } = await remove(Bucket, 'key')
  const ofMarker = { Bucket, Key: 'x', CopySource: `${Bucket}/key?versionId=${marker}` }
  expect(await refused(s3.send(new CopyObjectCommand(ofMarker)))).toBe('InvalidRequest')
})

it('loses no version to concurrent writers, and evaluates conditions one at a time', async () => {
  const Bucket = await newBucket('Enabled')
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => put(Bucket, 'raced', `${n}`)))
  expect(new Set((await versions(Bucket)).map(([, id]) => id))).toEqual(new Set(ids))
  expect(new Set(ids).size).toBe(30)
  const first = { Bucket, Key: 'once', Body: 'x', IfNoneMatch: '*' }
  const told = await Promise.all(Array.from({ length: 20 }, () => refused(s3.send(new PutObjectCommand(first)))))
  expect(told.filter((it) => it === 'nothing went wrong')).toHaveLength(1)
  await remove(Bucket, 'once')
  // a delete marker does not count as an existing object
  expect(await refused(s3.send(new PutObjectCommand(first)))).toBe('nothing went wrong')
})

it('counts the bytes of all versions until they are deleted', async () => {
  const Bucket = await newBucket('Enabled')
  const { user, domain } = bench.server.cast.people['project-member']
  const used = async () =>
    (await bench.server.tools.ports['object-storage'].account({ user_id: user.id, domain_id: domain.id }, true))!.usage
  const before = await used()
  const id = await put(Bucket, 'key', 'x'.repeat(1000))
  await put(Bucket, 'key', 'x'.repeat(20_000))
  await remove(Bucket, 'key')
  const { size, objects } = await used()
  expect([size - before.size, objects - before.objects]).toEqual([21_000, 2])
  await remove(Bucket, 'key', id)
  expect((await used()).size - before.size).toBe(20_000)
})

const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

interface Item {
  at: string
  id: string
}
/** Returns all pages of a list: versions as `key id`, and common prefixes with U+0000 appended. */
async function listed(Bucket: string, Prefix: string, Delimiter: string, MaxKeys: number): Promise<string[]> {
  const items: string[] = []
  let next: { KeyMarker?: string; VersionIdMarker?: string | undefined } = {}
  for (let page = 0; page < 200; page++) {
    const asked = { Bucket, Prefix, Delimiter, MaxKeys, EncodingType: 'url' as const, ...next }
    const answer = await s3.send(new ListObjectVersionsCommand(asked))
    const plain = (it: string | undefined) => decodeURIComponent(it!)
    const here: Item[] = [
      ...[...(answer.Versions ?? []), ...(answer.DeleteMarkers ?? [])].map(({ Key, VersionId, IsLatest }) => ({
        at: plain(Key),
        id: `${VersionId}${IsLatest ? ' latest' : ''}`,
      })),
      ...(answer.CommonPrefixes ?? []).map((it) => ({ at: `${plain(it.Prefix)}\0`, id: '' })),
    ]
    expect(here.length).toBeLessThanOrEqual(MaxKeys)
    // the SDK returns versions and markers separately, so their order is lost
    items.push(...here.toSorted((a, b) => compare(a.at, b.at)).map(({ at, id }) => `${at} ${id}`))
    if (!answer.IsTruncated) return items
    expect(here).toHaveLength(MaxKeys)
    next = { KeyMarker: plain(answer.NextKeyMarker), VersionIdMarker: answer.NextVersionIdMarker }
  }
  throw new Error('the list does not end')
}

it('returns the same version lists as the model, with any page size', { timeout: 240_000 }, async () => {
  const key = fc.constantFrom('a', 'a/', 'a/b', 'a/c/d', 'b', 'b//x', 'é/\u{10000}', 'é/\uffff', 'z')
  const change = fc.tuple(key, fc.constantFrom('put', 'put', 'delete', 'suspend', 'resume'))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
      const Bucket = await newBucket('Enabled')
      const model = new Map<string, string[]>()
      for (const [Key, what] of changes) {
        const there = model.get(Key) ?? []
        const isOf = what === 'put' || what === 'delete'
        if (!isOf) await setVersioning(Bucket, what === 'suspend' ? 'Suspended' : 'Enabled')
        if (what === 'put') {
          const id = (await put(Bucket, Key, 'x')) ?? 'null'
          model.set(Key, [id, ...there.filter((it) => it !== id)])
        }
        if (what === 'delete') {
          const { VersionId: id } = await remove(Bucket, Key)
          model.set(Key, [id!, ...there.filter((it) => it !== id)])
        }
      }
      for (const [prefix, delimiter] of [
        ['', ''],
        ['', '/'],
        ['a', '/'],
        ['a/', '/'],
        ['é/', ''],
        ['b', '//'],
      ] as const) {
        const wanted = [...model]
          .filter(([it]) => it.startsWith(prefix))
          .toSorted(([a], [b]) => compare(a, b))
          .flatMap(([it, ids]) => {
            const end = delimiter === '' ? -1 : it.indexOf(delimiter, prefix.length)
            return end < 0
              ? ids.map((id, at) => `${it} ${id}${at === 0 ? ' latest' : ''}`)
              : [`${it.slice(0, end + delimiter.length)}\0 `]
          })
        const model1 = [...new Set(wanted)]
        for (const most of [1, 2, 3, 1000]) {
          const got = await listed(Bucket, prefix, delimiter, most)
          const said = JSON.stringify({ changes, prefix, delimiter, most })
          if (most === 1) expect(got, said).toEqual(model1)
          else expect(got.toSorted(), said).toEqual(model1.toSorted())
        }
      }
    }),
    { numRuns: 12 },
  )
})
