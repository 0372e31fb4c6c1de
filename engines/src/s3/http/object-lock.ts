import { isoTime } from '@mainstay/contract/core/times'
import { S3Error, accessDenied, noSuchKey, noSuchVersion } from '../errors'
import type { BucketSettings } from '../store/bucket-settings'
import type { Bucket, ObjectHead, ObjectLock } from '../store/types'
import { readVersion } from '../store/versions'
import { bucketFor, mayDo } from './access'
import { readText } from './body'
import { parameter, type S3Call } from './call'
import { answer, type Operation } from './operations'
import { isMode } from './settings/versioning'
import { childText, readXml, writeXml } from './xml'

const DOCUMENT_BYTES = 64 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const LATEST_YEAR = 2200

const malformed = (what: string) => new S3Error('MalformedXML', `The XML you provided is not a ${what}`)

function requireLock({ settings }: Pick<Bucket, 'settings'>): void {
  if (!settings.lock) throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
}

/** Parses a retain-until date. Throws `InvalidArgument` unless it is in the future and an ISO time with a time zone. */
function timeToKeep(text: string): string {
  // a date without a time is ambiguous
  const at = text.includes('T') ? isoTime(text) : Number.NaN
  if (Number.isNaN(at) || new Date(at).getUTCFullYear() > LATEST_YEAR)
    throw new S3Error('InvalidArgument', 'The retain until date must be a time such as 2031-01-31T08:00:00Z')
  if (at <= Date.now()) throw new S3Error('InvalidArgument', 'The retain until date must be in the future!')
  return new Date(at).toISOString()
}

/** Returns the lock for a new version, from the request headers or the bucket default. */
export function lockOf(headers: S3Call['headers'], settings: BucketSettings): ObjectLock | undefined {
  const [mode, until, hold] = ['mode', 'retain-until-date', 'legal-hold'].map(
    (name) => headers[`x-amz-object-lock-${name}`],
  )
  const { default: rule } = settings.lock ?? {}
  const byDefault = rule && { mode: rule.mode, until: new Date(Date.now() + rule.days * DAY_MS).toISOString() }
  if (mode === undefined && until === undefined && hold === undefined) return byDefault
  requireLock({ settings })
  if ((mode === undefined) !== (until === undefined))
    throw new S3Error(
      'InvalidArgument',
      'x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied',
    )
  if (mode !== undefined && !isMode(mode)) throw new S3Error('InvalidArgument', 'Unknown wormMode directive.')
  if (hold !== undefined && hold !== 'ON' && hold !== 'OFF')
    throw new S3Error('InvalidArgument', 'Legal Hold must be either of ON or OFF')
  return {
    ...(mode === undefined ? byDefault : { mode, until: timeToKeep(until!) }),
    ...(hold !== undefined && { hold: hold === 'ON' }),
  }
}

/** Throws `AccessDenied` if a write sets a retention period or legal hold without the required permission. */
export function checkLocking(call: S3Call, bucket: Bucket): void {
  const has = (name: string) => call.headers[`x-amz-object-lock-${name}`] !== undefined
  const needed = [
    (has('mode') || has('retain-until-date')) && 's3:PutObjectRetention',
    has('legal-hold') && 's3:PutObjectLegalHold',
  ]
  if (needed.some((action) => action !== false && !mayDo(call, bucket, action, call.key))) throw accessDenied()
}

/** Returns the response headers for a version's lock. */
export const lockHeaders = ({ lock }: ObjectHead): Record<string, string> => ({
  ...(lock?.mode && { 'x-amz-object-lock-mode': lock.mode, 'x-amz-object-lock-retain-until-date': lock.until! }),
  ...(lock?.hold !== undefined && { 'x-amz-object-lock-legal-hold': lock.hold ? 'ON' : 'OFF' }),
})

/** Whether the request asks to bypass governance retention and the caller may do so. */
export const mayBypass = (call: S3Call, bucket: Bucket, key: string): boolean =>
  call.headers['x-amz-bypass-governance-retention']?.toLowerCase() === 'true' &&
  mayDo(call, bucket, 's3:BypassGovernanceRetention', key)

const named = (call: S3Call) => {
  const text = parameter(call, 'versionId')
  return { key: call.key!, version: text === undefined ? undefined : readVersion(text) }
}
const absent = (call: S3Call) => (parameter(call, 'versionId') === undefined ? noSuchKey() : noSuchVersion())

/** Returns the lock on the requested version. Throws if the bucket has no object lock or the version does not exist. */
async function read(call: S3Call, { buckets, objects }: Parameters<Operation>[1], action: string): Promise<ObjectLock> {
  const bucket = await bucketFor(buckets, call, action)
  requireLock(bucket)
  const { key, version } = named(call)
  const found = await objects.find(bucket, key, version)
  if (!found || found.marker) throw absent(call)
  return found.head.lock ?? {}
}

const never = () =>
  new S3Error('NoSuchObjectLockConfiguration', 'The specified object does not have a ObjectLock configuration')

export const getRetention: Operation = async (call, store) => {
  const { mode, until } = await read(call, store, 's3:GetObjectRetention')
  if (!mode) throw never()
  await answer(call, 200, {}, writeXml('Retention', { Mode: mode, RetainUntilDate: until }))
}

export const getLegalHold: Operation = async (call, store) => {
  const { hold } = await read(call, store, 's3:GetObjectLegalHold')
  if (hold === undefined) throw never()
  await answer(call, 200, {}, writeXml('LegalHold', { Status: hold ? 'ON' : 'OFF' }))
}

/** Throws `AccessDenied` if the change would shorten or weaken the retention and the caller may not bypass it. */
function checkChange(before: ObjectLock | undefined, after: ObjectLock, bypass: boolean): void {
  const { mode, until } = before ?? {}
  if (!mode || Date.parse(until!) <= Date.now()) return
  const isLess = after.until === undefined || Date.parse(after.until) < Date.parse(until!)
  const isMilder = after.mode !== mode
  if ((isLess || isMilder) && !(mode === 'GOVERNANCE' && bypass))
    throw new S3Error('AccessDenied', 'Access Denied because object protected by object lock.')
}

export const putRetention: Operation = async (call, { buckets, objects }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutObjectRetention')
  requireLock(bucket)
  const document = readXml(await readText(call, DOCUMENT_BYTES))
  const [mode, until] = ['Mode', 'RetainUntilDate'].map((name) => childText(document, name))
  const isNone = document.children.length === 0
  if (document.name !== 'Retention' || (!isNone && (!isMode(mode) || until === undefined)))
    throw malformed('Retention with a Mode and a RetainUntilDate')
  const after: ObjectLock = isNone ? {} : { mode: mode as 'GOVERNANCE', until: timeToKeep(until!) }
  const bypass = mayBypass(call, bucket, call.key!)
  const changed = await objects.changeHead(bucket, named(call), (head) => {
    checkChange(head.lock, after, bypass)
    const { hold } = head.lock ?? {}
    return { ...head, lock: { ...after, ...(hold !== undefined && { hold }) } }
  })
  if (!changed) throw absent(call)
  await answer(call, 200, {})
}

export const putLegalHold: Operation = async (call, { buckets, objects }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutObjectLegalHold')
  requireLock(bucket)
  const document = readXml(await readText(call, DOCUMENT_BYTES))
  const status = childText(document, 'Status')
  if (document.name !== 'LegalHold' || (status !== 'ON' && status !== 'OFF'))
    throw malformed('LegalHold with the Status ON or OFF')
  const changed = await objects.changeHead(bucket, named(call), (head) => ({
    ...head,
    lock: { ...head.lock, hold: status === 'ON' },
  }))
  if (!changed) throw absent(call)
  await answer(call, 200, {})
}
