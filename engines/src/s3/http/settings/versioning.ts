import { S3Error } from '../../errors'
import type { BucketLock, RetentionMode } from '../../store/bucket-settings'
import { bucketFor } from '../access'
import { readText } from '../body'
import { answer, type Operation } from '../operations'
import { childText, readXml, writeXml, type XmlElement } from '../xml'

const DOCUMENT_BYTES = 64 * 1024
const MOST_DAYS = 36_500

const malformed = (what: string) => new S3Error('MalformedXML', `The XML you provided is not a ${what}`)

export const getVersioning: Operation = async (call, { buckets }) => {
  const { settings } = await bucketFor(buckets, call, 's3:GetBucketVersioning')
  // the element is empty for a bucket that never had versioning
  await answer(call, 200, {}, writeXml('VersioningConfiguration', { Status: settings.versioning }))
}

export const putVersioning: Operation = async (call, { buckets }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutBucketVersioning')
  const document = readXml(await readText(call, DOCUMENT_BYTES))
  const status = childText(document, 'Status')
  if (document.name !== 'VersioningConfiguration') throw malformed('VersioningConfiguration')
  if (status !== 'Enabled' && status !== 'Suspended')
    throw new S3Error('IllegalVersioningConfigurationException', 'The Status must be Enabled or Suspended')
  if (childText(document, 'MfaDelete') === 'Enabled')
    throw new S3Error('NotImplemented', 'This object storage does not support MFA Delete')
  await buckets.set(bucket, 'versioning', status, ({ settings }) => {
    if (settings.lock && status === 'Suspended')
      throw new S3Error(
        'InvalidBucketState',
        'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
      )
  })
  await answer(call, 200, {})
}

export const isMode = (text: string | undefined): text is RetentionMode =>
  text === 'GOVERNANCE' || text === 'COMPLIANCE'

function readDefault(rule: XmlElement): BucketLock['default'] {
  const [retention, ...more] = rule.children.filter(({ name }) => name === 'DefaultRetention')
  if (!retention || more.length > 0) throw malformed('ObjectLockConfiguration')
  const [mode, days, years] = ['Mode', 'Days', 'Years'].map((name) => childText(retention, name))
  if (!isMode(mode) || (days === undefined) === (years === undefined)) throw malformed('ObjectLockConfiguration')
  const count = Number(days ?? years) * (days === undefined ? 365 : 1)
  if (!/^\d{1,6}$/.test(days ?? years!) || count < 1 || count > MOST_DAYS)
    throw new S3Error('InvalidRetentionPeriod', `The default retention period must be 1 to ${MOST_DAYS} days`)
  return { mode, days: count }
}

export const getObjectLock: Operation = async (call, { buckets }) => {
  const { lock } = (await bucketFor(buckets, call, 's3:GetBucketObjectLockConfiguration')).settings
  if (!lock)
    throw new S3Error(
      'ObjectLockConfigurationNotFoundError',
      'Object Lock configuration does not exist for this bucket',
    )
  const rule = lock.default && { DefaultRetention: { Mode: lock.default.mode, Days: lock.default.days } }
  await answer(call, 200, {}, writeXml('ObjectLockConfiguration', { ObjectLockEnabled: 'Enabled', Rule: rule }))
}

export const putObjectLock: Operation = async (call, { buckets }) => {
  const bucket = await bucketFor(buckets, call, 's3:PutBucketObjectLockConfiguration')
  const document = readXml(await readText(call, DOCUMENT_BYTES))
  const rules = document.children.filter(({ name }) => name === 'Rule')
  if (
    document.name !== 'ObjectLockConfiguration' ||
    childText(document, 'ObjectLockEnabled') !== 'Enabled' ||
    rules.length > 1
  )
    throw malformed('ObjectLockConfiguration')
  const found = rules[0] && readDefault(rules[0])
  await buckets.set(bucket, 'lock', found ? { default: found } : {}, ({ settings }) => {
    if (settings.versioning !== 'Enabled')
      throw new S3Error('InvalidBucketState', 'Versioning must be enabled on the bucket to apply an object lock')
  })
  await answer(call, 200, {})
}
