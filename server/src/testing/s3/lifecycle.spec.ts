import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type LifecycleRule,
  type S3Client,
} from '@aws-sdk/client-s3'
import { sweepLifecycle } from '@mainstay/engines/s3/store/lifecycle'
import { openMultipart } from '@mainstay/engines/s3/store/multipart'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Lifecycle rules. The tests backdate rows instead of waiting for days; one test waits for the server's own run. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
})
afterAll(() => bench.close())

const DAY_MS = 86_400_000
const setRules = (Bucket: string, Rules: LifecycleRule[]) =>
  s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
const rulesOf = async (Bucket: string) => (await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules
const put = async (Bucket: string, Key: string, Body = 'x') =>
  (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId
async function newBucket(Bucket: string, isVersioned = false): Promise<string> {
  await s3.send(new CreateBucketCommand({ Bucket }))
  const VersioningConfiguration = { Status: 'Enabled' as const }
  if (isVersioned) await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  return Bucket
}
/** Contents of the bucket as `key`, `key (older)` and `key (marker)`. */
async function contents(Bucket: string): Promise<string[]> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
  return [
    ...Versions.map(({ Key, IsLatest }) => `${Key}${IsLatest ? '' : ' (older)'}`),
    ...DeleteMarkers.map(({ Key }) => `${Key} (marker)`),
  ]
}
/** Backdates everything in the bucket by this many days. */
async function age(bucket: string, days: number): Promise<void> {
  for (const [table, column] of [
    ['s3_object', 'mtime'],
    ['s3_noncurrent', 'mtime'],
    ['s3_upload', 'started_at'],
  ])
    await bench.server.sql.query(
      `update ${table} set ${column} = ${column} - make_interval(days => $2)
       where bucket_id = (select id from s3_bucket where name = $1)`,
      [bucket, days],
    )
}

/** Immediately does the work that the server does every few seconds. */
async function sweep(): Promise<void> {
  const { sql } = bench.server
  while (await sweepLifecycle({ sql, multipart: openMultipart(sql) }));
}

it('removes exactly the objects that a rule matches once they expire', async () => {
  const Bucket = await newBucket('expiring')
  for (const key of ['logs/old', 'logs/large', 'data/old', 'off/old']) await put(Bucket, key)
  await put(Bucket, 'size/large', 'x'.repeat(2000))
  await put(Bucket, 'size/small')
  await age(Bucket, 11)
  await put(Bucket, 'logs/new')
  const Expiration = { Days: 10 }
  await setRules(Bucket, [
    { ID: 'logs', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration },
    { ID: 'off', Status: 'Disabled', Filter: { Prefix: 'off/' }, Expiration },
    {
      ID: 'large ones',
      Status: 'Enabled',
      Filter: { And: { Prefix: 'size/', ObjectSizeGreaterThan: 1000, ObjectSizeLessThan: 3000 } },
      Expiration,
    },
    { ID: 'later', Status: 'Enabled', Filter: { Prefix: 'data/' }, Expiration: { Days: 30 } },
  ])
  await sweep()
  expect(await contents(Bucket)).toEqual(['data/old', 'logs/new', 'off/old', 'size/small'])
  const { Expiration: told } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'logs/new' }))
  const [, date, rule] = /^expiry-date="(.+)", rule-id="(.+)"$/.exec(told!)!
  const days = (Date.parse(date!) - Date.now()) / DAY_MS
  expect([rule, Date.parse(date!) % DAY_MS, days > 10 && days <= 11]).toEqual(['logs', 0, true])
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'size/small' }))).Expiration).toBeUndefined()
})

it('removes objects on the date specified in a rule', { tags: 'all' }, async () => {
  const Bucket = await newBucket('dated')
  await put(Bucket, 'x')
  const day = (days: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + days * DAY_MS)
  await setRules(Bucket, [{ Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Date: day(2) } }])
  const { Expiration } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'x' }))
  expect(Expiration).toContain(day(2).toUTCString())
  await setRules(Bucket, [{ Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Date: day(-1) } }])
  await expect.poll(() => contents(Bucket)).toEqual([])
})

it('in a versioned bucket, hides expired objects behind markers and keeps only the newest old versions', async () => {
  const Bucket = await newBucket('expiring-versions', true)
  for (let n = 0; n < 4; n++) await put(Bucket, 'many', `${n}`)
  await put(Bucket, 'live')
  await put(Bucket, 'deleted')
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }))
  await age(Bucket, 11)
  await put(Bucket, 'many', 'new')
  // the newest old version has only just become noncurrent
  await setRules(Bucket, [
    {
      Status: 'Enabled',
      Filter: { Prefix: '' },
      NoncurrentVersionExpiration: { NoncurrentDays: 10, NewerNoncurrentVersions: 2 },
    },
  ])
  await sweep()
  expect(await contents(Bucket)).toEqual([
    'deleted (older)',
    'live',
    'many',
    'many (older)',
    'many (older)',
    'deleted (marker)',
  ])
  await setRules(Bucket, [
    { Status: 'Enabled', Filter: { Prefix: '' }, NoncurrentVersionExpiration: { NoncurrentDays: 10 } },
  ])
  // the marker no longer hides a version, but no rule removes it
  await sweep()
  expect(await contents(Bucket)).toEqual(['live', 'many', 'many (older)', 'deleted (marker)'])
  await setRules(Bucket, [
    { Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { ExpiredObjectDeleteMarker: true } },
  ])
  await sweep()
  expect(await contents(Bucket)).toEqual(['live', 'many', 'many (older)'])
  await setRules(Bucket, [{ Status: 'Enabled', Filter: { Prefix: 'live' }, Expiration: { Days: 10 } }])
  await sweep()
  expect(await contents(Bucket)).toEqual(['live (older)', 'many', 'many (older)', 'live (marker)'])
})

it('keeps locked versions whatever the rules say', async () => {
  const Bucket = 'expiring-held'
  await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  const hold = { ObjectLockLegalHoldStatus: 'ON' as const }
  await s3.send(new PutObjectCommand({ Bucket, Key: 'held', Body: 'x', ...hold }))
  await put(Bucket, 'held', 'y')
  const governed = {
    ObjectLockMode: 'GOVERNANCE' as const,
    ObjectLockRetainUntilDate: new Date(Date.now() + 30 * DAY_MS),
  }
  await s3.send(new PutObjectCommand({ Bucket, Key: 'governed', Body: 'x', ...governed }))
  await put(Bucket, 'governed', 'y')
  await put(Bucket, 'free', 'x')
  await put(Bucket, 'free', 'y')
  await age(Bucket, 11)
  await setRules(Bucket, [
    { Status: 'Enabled', Filter: { Prefix: '' }, NoncurrentVersionExpiration: { NoncurrentDays: 10 } },
  ])
  await sweep()
  expect(await contents(Bucket)).toEqual(['free', 'governed', 'governed (older)', 'held', 'held (older)'])
})

it('keeps an old version that becomes the latest one while rules are applied', async () => {
  const Bucket = await newBucket('promoted', true)
  await put(Bucket, 'key', 'old')
  const newer = await put(Bucket, 'key', 'new')
  await setRules(Bucket, [
    { Status: 'Enabled', Filter: { Prefix: '' }, NoncurrentVersionExpiration: { NoncurrentDays: 10 } },
  ])
  const { sql } = bench.server
  const [bucket] = await sql.query<{ id: unknown }>('select id from s3_bucket where name = $1', [Bucket])
  let isDone = false
  const late: typeof sql = {
    ...sql,
    async query<Row>(text: string, values?: readonly unknown[]) {
      const rows = await sql.query<Row>(text, values)
      if (!isDone && values?.[0] === bucket!.id && text.includes('window newest')) {
        isDone = true
        await s3.send(new DeleteObjectCommand({ Bucket, Key: 'key', VersionId: newer }))
      }
      return rows
    },
  }
  const store = { sql: late, multipart: openMultipart(sql) }
  // the server's own rounds use the current time, at which nothing has expired
  const later = Date.now() + 12 * DAY_MS
  while (await sweepLifecycle(store, later));
  expect([isDone, await contents(Bucket)]).toEqual([true, ['key']])
})

it('aborts abandoned uploads', async () => {
  const Bucket = await newBucket('uploads')
  const begin = (Key: string) => s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  await begin('old/x')
  await begin('other/x')
  await age(Bucket, 3)
  await begin('old/new')
  await setRules(Bucket, [
    {
      Status: 'Enabled',
      Filter: { Prefix: 'old/' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
    },
  ])
  const uploads = async () =>
    (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads!.map(({ Key }) => Key)
  await sweep()
  expect(await uploads()).toEqual(['old/new', 'other/x'])
})

it('processes other buckets without delay if a bucket’s rules fail or never apply', async () => {
  const [broken, Bucket] = [await newBucket('endless'), await newBucket('waiting')]
  const Filter = { Prefix: '' }
  const of = (days: number): LifecycleRule => ({
    ...{ Status: 'Enabled', Filter, Expiration: { Days: days } },
    ...{ NoncurrentVersionExpiration: { NoncurrentDays: days } },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: days },
  })
  expect(await refused(setRules(broken, [of(999_999_999_999_999)]))).toBe('InvalidArgument')
  await setRules(broken, [of(2_147_483_647)])
  await put(broken, 'x')
  expect((await s3.send(new HeadObjectCommand({ Bucket: broken, Key: 'x' }))).Expiration).toBeUndefined()
  // a rule that only an older server version accepted
  await bench.server.sql.query(
    `update s3_bucket set settings = jsonb_set(settings, '{lifecycle,0,tags}', '1') where name = $1`,
    [broken],
  )
  await put(Bucket, 'old')
  await age(Bucket, 11)
  await setRules(Bucket, [{ Status: 'Enabled', Filter, Expiration: { Days: 10 } }])
  // the first run fails, here or in the server itself
  await sweep().catch(() => undefined)
  await sweep()
  expect(await contents(Bucket)).toEqual([])
  await s3.send(new DeleteBucketLifecycleCommand({ Bucket: broken }))
})

it('returns rules as set and refuses invalid ones', async () => {
  const Bucket = await newBucket('rules')
  expect(await refused(rulesOf(Bucket))).toBe('NoSuchLifecycleConfiguration')
  const Expiration = { Days: 1 }
  const rules: LifecycleRule[] = [
    { ID: 'a', Status: 'Enabled', Prefix: 'old/', Expiration },
    { ID: 'b', Status: 'Disabled', Filter: { Tag: { Key: 'k', Value: '<v>' } }, Expiration },
    {
      ID: 'c',
      Status: 'Enabled',
      Filter: { And: { Prefix: 'x', Tags: [{ Key: 'k', Value: 'v' }], ObjectSizeLessThan: 5 } },
      NoncurrentVersionExpiration: { NoncurrentDays: 3, NewerNoncurrentVersions: 4 },
    },
    { ID: 'd', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { ExpiredObjectDeleteMarker: true } },
    {
      ID: 'e',
      Status: 'Enabled',
      Filter: { Prefix: 'p' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
    },
  ]
  await setRules(Bucket, rules)
  expect(await rulesOf(Bucket)).toEqual(rules)
  await setRules(Bucket, [{ Status: 'Enabled', Filter: { Prefix: '' }, Expiration }])
  expect((await rulesOf(Bucket))![0]!.ID).toMatch(/.+/)
  const Filter = { Prefix: '' }
  const wrong: [LifecycleRule[], string][] = [
    [[], 'MalformedXML'],
    [[{ Status: 'enabled' as 'Enabled', Filter, Expiration }], 'MalformedXML'],
    [[{ Status: 'Enabled', Filter }], 'MalformedXML'],
    [[{ Status: 'Enabled', Expiration }], 'MalformedXML'],
    [[{ Status: 'Enabled', Filter, Expiration: { Days: 1, Date: new Date(0) } }], 'MalformedXML'],
    [[{ Status: 'Enabled', Filter, Expiration: { Days: 0 } }], 'InvalidArgument'],
    [[{ Status: 'Enabled', Filter, Expiration: { Date: new Date(3_600_000) } }], 'InvalidArgument'],
    [[{ ID: 'x'.repeat(256), Status: 'Enabled', Filter, Expiration }], 'InvalidArgument'],
    [
      [
        { ID: 'x', Status: 'Enabled', Filter, Expiration },
        { ID: 'x', Status: 'Enabled', Filter, Expiration },
      ],
      'InvalidArgument',
    ],
    [
      [
        {
          Status: 'Enabled',
          Filter: { Tag: { Key: 'k', Value: 'v' } },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
      'InvalidRequest',
    ],
    [[{ Status: 'Enabled', Filter, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }], 'NotImplemented'],
  ]
  for (const [it, code] of wrong) expect([it, await refused(setRules(Bucket, it))]).toEqual([it, code])
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket })
  expect(await refused(stranger.send(command))).toBe('AccessDenied')
  await s3.send(new DeleteBucketLifecycleCommand({ Bucket }))
  expect(await refused(rulesOf(Bucket))).toBe('NoSuchLifecycleConfiguration')
})
