import {
  CreateBucketCommand,
  GetObjectRetentionCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, startS3, type S3Bench } from './clients/client'
import { sendRaw, type RawRequest } from './clients/signed-request'
import { policyOf } from './people'

/* Times in headers and documents. A time without a zone would depend on the server's time zone. */

const Bucket = 'times'
const YEAR_MS = 365 * 24 * 3600_000
let bench: S3Bench
let s3: S3Client
let signer: { accessKey: string; secretKey: string }
beforeAll(async () => {
  bench = await startS3()
  const made = await bench.client('project-member')
  ;({ s3 } = made)
  signer = made
  await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'body' }))
})
afterAll(() => bench.close())

const outcome = async (request: Omit<RawRequest, 'signer'>) => {
  const { status, code } = await sendRaw(bench.endpoint, { ...request, signer })
  return code === undefined ? String(status) : `${status} ${code}`
}
const inUtc = (at: number) => new Date(at).toUTCString()

it('ignores headers with dates that are not HTTP dates', async () => {
  const read = (headers: Record<string, string>) => outcome({ path: `/${Bucket}/key`, headers })
  const [past, future] = [inUtc(Date.now() - YEAR_MS), inUtc(Date.now() + YEAR_MS)]
  expect(await read({ 'if-unmodified-since': past })).toBe('412 PreconditionFailed')
  expect(await read({ 'if-modified-since': future })).toBe('304')
  const zoneless = (text: string) => text.replace(' GMT', '')
  for (const text of [zoneless(past), new Date(Date.now() - YEAR_MS).toISOString().slice(0, 19), 'yesterday', '1'])
    expect([text, await read({ 'if-unmodified-since': text })]).toEqual([text, '200'])
  expect(await read({ 'if-modified-since': zoneless(future) })).toBe('200')
  const copy = (time: string) =>
    outcome({
      ...{ method: 'PUT', path: `/${Bucket}/copy` },
      headers: { 'x-amz-copy-source': `${Bucket}/key`, 'x-amz-copy-source-if-unmodified-since': time },
    })
  expect(await copy(past)).toBe('412 PreconditionFailed')
  expect(await copy(zoneless(past))).toBe('200')
  const remove = (time: string) =>
    outcome({
      ...{ method: 'DELETE', path: `/${Bucket}/copy` },
      headers: { 'x-amz-if-match-last-modified-time': time },
    })
  expect(await remove(zoneless(past))).toBe('400 InvalidArgument')
  expect(await remove(past)).toBe('412 PreconditionFailed')
})

it('refuses times without a zone in documents', async () => {
  const rule = (date: string) =>
    `<Rule><ID>r</ID><Status>Enabled</Status><Prefix>x</Prefix><Expiration><Date>${date}</Date></Expiration></Rule>`
  const setRule = (date: string) =>
    outcome({
      ...{ method: 'PUT', path: `/${Bucket}`, query: [['lifecycle', '']] },
      body: `<LifecycleConfiguration>${rule(date)}</LifecycleConfiguration>`,
    })
  for (const date of ['2037-01-01T00:00:00', '2037-01-01T01:00:00', '2037-01-01 00:00'])
    expect([date, await setRule(date)]).toEqual([date, '400 MalformedXML'])
  for (const date of ['2037-01-01', '2037-01-01T00:00:00Z', '2037-01-01T02:00:00+02:00'])
    expect([date, await setRule(date)]).toEqual([date, '200'])

  const retain = (date: string) =>
    outcome({
      ...{ method: 'PUT', path: `/${Bucket}/key`, query: [['retention', '']] },
      body: `<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>${date}</RetainUntilDate></Retention>`,
    })
  for (const date of ['2037-01-01T00:00:00', '2037-01-01', '2037-01-01 00:00:00'])
    expect([date, await retain(date)]).toEqual([date, '400 InvalidArgument'])
  expect(await retain('2037-01-01T00:00:00Z')).toBe('200')
  const { Retention } = await s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'key' }))
  expect(Retention!.RetainUntilDate).toEqual(new Date('2037-01-01T00:00:00Z'))
  const write = (date: string) =>
    outcome({
      ...{ method: 'PUT', path: `/${Bucket}/kept`, body: 'x' },
      headers: { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': date },
    })
  expect(await write('2037-01-01T00:00:00')).toBe('400 InvalidArgument')
  expect(await write('2037-01-01T00:00:00Z')).toBe('200')

  const setPolicy = (time: string) => {
    const Condition = { DateLessThan: { 'aws:CurrentTime': time } }
    const Policy = policyOf(Bucket, { Action: 's3:GetObject', Condition })
    return refused(s3.send(new PutBucketPolicyCommand({ Bucket, Policy })))
  }
  for (const time of ['2037-01-01T00:00:00', 'Jan 1 2037', '2037-1-1'])
    expect([time, await setPolicy(time)]).toEqual([time, 'MalformedPolicy'])
  for (const time of ['2037-01-01', '2037-01-01T00:00:00+02:00', '2114380800'])
    expect([time, await setPolicy(time)]).toEqual([time, 'nothing went wrong'])
})
