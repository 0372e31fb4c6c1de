import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  UploadPartCommand,
  type DefaultRetention,
  type ObjectLockRetentionMode,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* Versions that must not be removed. */

let bench: S3Bench
let s3: S3Client
const Bucket = 'locked'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  await s3.send(new CreateBucketCommand({ Bucket: 'plain' }))
})
afterAll(() => bench.close())

const inDays = (days: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + days * 86_400_000)
const put = async (Key: string, more: Partial<PutObjectCommandInput> = {}) =>
  (await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...more }))).VersionId!
const remove = (Key: string, VersionId: string, BypassGovernanceRetention?: boolean) =>
  refused(s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention })))
const retain = (
  Key: string,
  Mode: ObjectLockRetentionMode | undefined,
  RetainUntilDate: Date | undefined,
  BypassGovernanceRetention?: boolean,
) =>
  refused(
    s3.send(
      new PutObjectRetentionCommand({ Bucket, Key, Retention: { Mode, RetainUntilDate }, BypassGovernanceRetention }),
    ),
  )
const hold = (Key: string, Status: 'ON' | 'OFF') =>
  s3.send(new PutObjectLegalHoldCommand({ Bucket, Key, LegalHold: { Status } }))
const fine = 'nothing went wrong'

it('deletes a governance version only with the bypass right, and a compliance version never', async () => {
  const until = inDays(1)
  const kept = await put('governed', { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: until })
  const { ObjectLockMode, ObjectLockRetainUntilDate } = await s3.send(
    new HeadObjectCommand({ Bucket, Key: 'governed' }),
  )
  expect([ObjectLockMode, ObjectLockRetainUntilDate]).toEqual(['GOVERNANCE', until])
  expect(await remove('governed', kept)).toBe('AccessDenied')
  const list = { Bucket, Delete: { Objects: [{ Key: 'governed', VersionId: kept }] } }
  expect((await s3.send(new DeleteObjectsCommand(list))).Errors).toMatchObject([{ Code: 'AccessDenied' }])
  // a delete marker hides the version and removes nothing
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'governed' }))
  expect(await remove('governed', kept, true)).toBe(fine)

  const strict = await put('strict', { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: until })
  expect(await remove('strict', strict, true)).toBe('AccessDenied')
  const quick = await put('quick', {
    ObjectLockMode: 'COMPLIANCE',
    ObjectLockRetainUntilDate: new Date(Date.now() + 5_000),
  })
  await expect.poll(() => remove('quick', quick)).toBe(fine)
})

it('allows extending a retention period, and shortening it only with the bypass right', async () => {
  await put('times')
  const told = async () => {
    const { Retention } = await s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'times' }))
    return [Retention!.Mode, Retention!.RetainUntilDate]
  }
  expect(await refused(told())).toBe('NoSuchObjectLockConfiguration')
  expect(await retain('times', 'GOVERNANCE', inDays(2))).toBe(fine)
  const later = inDays(3)
  expect(await retain('times', 'GOVERNANCE', later)).toBe(fine)
  expect(await retain('times', 'GOVERNANCE', inDays(1))).toBe('AccessDenied')
  expect(await told()).toEqual(['GOVERNANCE', later])
  const earlier = inDays(1)
  expect(await retain('times', 'GOVERNANCE', earlier, true)).toBe(fine)
  expect(await told()).toEqual(['GOVERNANCE', earlier])
  const strict = inDays(2)
  expect(await retain('times', 'COMPLIANCE', strict, true)).toBe(fine)
  for (const wrong of [retain('times', 'COMPLIANCE', inDays(1), true), retain('times', 'GOVERNANCE', inDays(3), true)])
    expect(await wrong).toBe('AccessDenied')
  expect(await told()).toEqual(['COMPLIANCE', strict])
})

it('protects a version with a legal hold until it is released', async () => {
  const held = await put('held', { ObjectLockLegalHoldStatus: 'ON' })
  const status = async () => (await s3.send(new GetObjectLegalHoldCommand({ Bucket, Key: 'held' }))).LegalHold!.Status
  expect(await status()).toBe('ON')
  expect(await remove('held', held, true)).toBe('AccessDenied')
  await hold('held', 'OFF')
  expect(await status()).toBe('OFF')
  expect(await remove('held', held)).toBe(fine)
})

it('applies the default retention to new versions and multipart uploads that do not set their own', async () => {
  const config = (DefaultRetention: DefaultRetention) =>
    s3.send(
      new PutObjectLockConfigurationCommand({
        Bucket: 'defaults',
        ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention } },
      }),
    )
  await s3.send(new CreateBucketCommand({ Bucket: 'defaults', ObjectLockEnabledForBucket: true }))
  await config({ Mode: 'COMPLIANCE', Years: 1 })
  await config({ Mode: 'GOVERNANCE', Days: 5 })
  const { ObjectLockConfiguration } = await s3.send(new GetObjectLockConfigurationCommand({ Bucket: 'defaults' }))
  expect(ObjectLockConfiguration).toEqual({
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 5 } },
  })
  const at = { Bucket: 'defaults', Key: 'parts' }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at))
  const { ETag } = await s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'x' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  const { VersionId } = await s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }))
  const own = { ObjectLockMode: 'COMPLIANCE' as const, ObjectLockRetainUntilDate: inDays(1) }
  await s3.send(new PutObjectCommand({ Bucket: 'defaults', Key: 'own', Body: 'x', ...own }))
  const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket: 'defaults', Key }))
  const parts = await head('parts')
  expect([parts.VersionId, parts.ObjectLockMode]).toEqual([VersionId, 'GOVERNANCE'])
  const days = (parts.ObjectLockRetainUntilDate!.getTime() - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(4.9)
  expect(days).toBeLessThanOrEqual(5)
  expect(await head('own')).toMatchObject(own)
  // a legal hold does not replace the default retention
  for (const ObjectLockLegalHoldStatus of ['ON', 'OFF'] as const) {
    await s3.send(new PutObjectCommand({ Bucket: 'defaults', Key: 'held', Body: 'x', ObjectLockLegalHoldStatus }))
    expect(await head('held')).toMatchObject({ ObjectLockLegalHoldStatus, ObjectLockMode: 'GOVERNANCE' })
  }
  for (const wrong of [
    { Mode: 'GOVERNANCE', Days: 0 },
    { Mode: 'GOVERNANCE', Years: -1 },
  ] as DefaultRetention[])
    expect(await refused(config(wrong))).toBe('InvalidRetentionPeriod')
  for (const wrong of [
    { Mode: 'GOVERNANCE', Days: 1, Years: 1 },
    { Mode: 'NONE', Days: 1 },
  ] as DefaultRetention[])
    expect(await refused(config(wrong))).toBe('MalformedXML')
})

it('the right to write objects does not include the right to set holds or retention', async () => {
  const guarded = { Bucket: 'guarded', Key: 'x' }
  await s3.send(new CreateBucketCommand({ Bucket: guarded.Bucket, ObjectLockEnabledForBucket: true }))
  const allow = (...Action: string[]) =>
    s3.send(
      new PutBucketPolicyCommand({
        ...{ Bucket: guarded.Bucket, Policy: JSON.stringify({ Statement: [{ ...statement, Action }] }) },
      }),
    )
  const statement = { Effect: 'Allow', Principal: '*', Resource: 'arn:aws:s3:::guarded/*' }
  const stranger = (await bench.client('other-member')).s3
  const time = { ObjectLockMode: 'COMPLIANCE' as const, ObjectLockRetainUntilDate: inDays(1) }
  const ways = (more: Partial<PutObjectCommandInput>) =>
    Promise.all([
      refused(stranger.send(new PutObjectCommand({ ...guarded, Body: 'x', ...more }))),
      refused(stranger.send(new CreateMultipartUploadCommand({ ...guarded, ...more }))),
      refused(stranger.send(new CopyObjectCommand({ ...guarded, CopySource: 'guarded/source', ...more }))),
    ])
  await s3.send(new PutObjectCommand({ Bucket: guarded.Bucket, Key: 'source', Body: 'x' }))
  const [yes, no] = [Array(3).fill(fine), Array(3).fill('AccessDenied')]
  await allow('s3:GetObject', 's3:PutObject')
  expect([await ways({}), await ways(time), await ways({ ObjectLockLegalHoldStatus: 'ON' })]).toEqual([yes, no, no])
  await allow('s3:GetObject', 's3:PutObject', 's3:PutObjectRetention', 's3:PutObjectLegalHold')
  expect([await ways(time), await ways({ ObjectLockLegalHoldStatus: 'ON' })]).toEqual([yes, yes])
})

it('refuses one of two concurrent calls that exclude each other', async () => {
  const [at, status] = [{ Bucket: 'at-once' }, { VersioningConfiguration: { Status: 'Suspended' as const } }]
  await s3.send(new CreateBucketCommand(at))
  await s3.send(new PutBucketVersioningCommand({ ...at, VersioningConfiguration: { Status: 'Enabled' } }))
  const { sql } = bench.server
  const said = await sql.transaction(async (tx) => {
    await tx.query(`select 1 from s3_bucket where name = 'at-once' for update`)
    const both = [
      refused(s3.send(new PutBucketVersioningCommand({ ...at, ...status }))),
      refused(
        s3.send(
          new PutObjectLockConfigurationCommand({
            ...at,
            ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' },
          }),
        ),
      ),
    ]
    const waiting = `select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(async () => (await sql.query<{ count: number }>(waiting))[0]!.count).toBe(2)
    return { both }
  })
  expect((await Promise.all(said.both)).toSorted()).toEqual(['InvalidBucketState', fine])
})

it('refuses invalid settings, and buckets without object lock', async () => {
  const inPlain = { Bucket: 'plain', Key: 'x', Body: 'x' }
  const until = inDays(1)
  const cases: [Partial<PutObjectCommandInput>, string][] = [
    [{ ObjectLockMode: 'GOVERNANCE' }, 'InvalidArgument'],
    [{ ObjectLockRetainUntilDate: until }, 'InvalidArgument'],
    [{ ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: inDays(-1) }, 'InvalidArgument'],
    [{ ObjectLockMode: 'governance' as 'GOVERNANCE', ObjectLockRetainUntilDate: until }, 'InvalidArgument'],
    [{ ObjectLockLegalHoldStatus: 'YES' as 'ON' }, 'InvalidArgument'],
  ]
  for (const [more, code] of cases) expect([more, await refused(put('wrong', more))]).toEqual([more, code])
  expect(await refused(s3.send(new PutObjectCommand({ ...inPlain, ObjectLockLegalHoldStatus: 'ON' })))).toBe(
    'InvalidRequest',
  )
  await s3.send(new PutObjectCommand(inPlain))
  const Retention = { Mode: 'GOVERNANCE' as const, RetainUntilDate: until }
  expect(await refused(s3.send(new PutObjectRetentionCommand({ Bucket: 'plain', Key: 'x', Retention })))).toBe(
    'InvalidRequest',
  )
  expect(await refused(s3.send(new GetObjectLockConfigurationCommand({ Bucket: 'plain' })))).toBe(
    'ObjectLockConfigurationNotFoundError',
  )
  const lock = { ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' as const } }
  expect(await refused(s3.send(new PutObjectLockConfigurationCommand({ Bucket: 'plain', ...lock })))).toBe(
    'InvalidBucketState',
  )
  const VersioningConfiguration = { Status: 'Suspended' as const }
  expect(await refused(s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })))).toBe(
    'InvalidBucketState',
  )
  await put('soon')
  expect(await retain('soon', 'GOVERNANCE', inDays(-1))).toBe('InvalidArgument')
})
