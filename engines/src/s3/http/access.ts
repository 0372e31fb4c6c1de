import { englishText } from '@mainstay/contract/core/english'
import { bucketNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import { canonicalIdOf } from '../accounts'
import { S3Error, accessDenied, noSuchBucket } from '../errors'
import { privateAcl } from '../policy/acl'
import { decideAccess, type AccessBlock, type BucketAccess, type Decision, type ObjectAccess } from '../policy/decide'
import { readPolicy } from '../policy/policy'
import type { Tag } from '../store/bucket-settings'
import type { Buckets } from '../store/buckets'
import type { Bucket, ObjectHead, StoredObject } from '../store/types'
import type { S3Call } from './call'
import { contextOf } from './context'

/* Who may do what, asked for a request: what stands about a bucket and an object goes to `decideAccess`. */

const noBlock: AccessBlock = {
  blockPublicAcls: false,
  ignorePublicAcls: false,
  blockPublicPolicy: false,
  restrictPublicBuckets: false,
}

const known = new WeakMap<Bucket, BucketAccess>()

/** What stands about a bucket; its policy is read once for each request. */
export function accessTo(bucket: Bucket): BucketAccess {
  const before = known.get(bucket)
  if (before) return before
  const { name, owner, policy, settings } = bucket
  const access: BucketAccess = {
    ...{ name, owner },
    policy: policy === null ? null : readPolicy(policy, name),
    acl: settings.acl ?? privateAcl(owner),
    ownership: settings.ownership ?? 'ObjectWriter',
    block: settings.accessBlock ?? noBlock,
  }
  known.set(bucket, access)
  return access
}

/**
 * What stands about an object. One that says nothing of an owner is the bucket owner's; where there are no lists, all are, and
 * nobody is granted anything.
 */
export function accessToObject(bucket: Bucket, { owner, acl }: Pick<ObjectHead, 'owner' | 'acl'>): ObjectAccess {
  const isOff = accessTo(bucket).ownership === 'BucketOwnerEnforced'
  const whose = isOff || owner === undefined ? bucket.owner : owner
  return { owner: whose, acl: isOff || acl === undefined ? privateAcl(whose) : acl }
}

/** What is known beside the request itself. */
interface Known {
  /** The object that is there, or the upload; null: there is none. */
  object?: { head: ObjectHead & { initiator?: string | null } } | null
  /** Tags that the body asks for. */
  tags?: readonly Tag[]
  /** In place of the parameter of that name. */
  prefix?: string
}

function decisionOn(
  call: S3Call,
  bucket: Bucket,
  action: string,
  key: string | null,
  { object, tags, prefix }: Known,
): Decision {
  const access = accessTo(bucket)
  const asked = prefix === undefined ? call : { ...call, query: [['prefix', prefix] as const] }
  // only policies ask for it
  const context =
    access.policy === null
      ? new Map<string, string[]>()
      : contextOf(asked, { existing: object?.head.tags ?? [], ...(tags && { requested: tags }) })
  const thing = object ? { ...accessToObject(bucket, object.head), initiator: object.head.initiator ?? null } : null
  return decideAccess(access, thing, { userId: call.userId, key, context }, [action])[0]!
}

/** Whether the bucket is of whom the caller takes for its owner, by user or canonical id; names of buckets change hands. */
export const isExpectedOwner = ({ owner }: Bucket, expected: string | undefined): boolean =>
  expected === undefined || expected === owner || expected === canonicalIdOf(owner)

/** Whether the caller may do it. `key`: of the bucket; null: the bucket itself. */
export function mayDo(call: S3Call, bucket: Bucket, action: string, key: string | null, about: Known = {}): boolean {
  return decisionOn(call, bucket, action, key, about).verdict === 'yes'
}

/** Whether the policy denies it to the caller, whatever else allows it. */
export function isDenied(call: S3Call, bucket: Bucket, action: string, key: string | null): boolean {
  const { by } = decisionOn(call, bucket, action, key, {})
  return by !== null && 'policy' in by && by.policy.effect === 'Deny'
}

/**
 * Throws `AccessDenied` where the caller may not do it with an object. Why there is none (`fault`) is told to those who may list it,
 * unless the policy denies them to do it.
 */
export function checkObject(
  call: S3Call,
  bucket: Bucket,
  action: string,
  {
    key,
    object,
    fault,
    tags = null,
  }: { key: string; object: StoredObject | null; fault: S3Error | null; tags?: readonly Tag[] | null },
): void {
  if (object && mayDo(call, bucket, action, key, { object, ...(tags && { tags }) })) return
  const isTold =
    fault !== null &&
    !isDenied(call, bucket, action, key) &&
    mayDo(call, bucket, 's3:ListBucket', null, { prefix: key })
  throw isTold ? fault : accessDenied()
}

/** The bucket of a call, if the caller may do it there. Throws `NoSuchBucket` and `AccessDenied`. */
export async function bucketFor(
  buckets: Buckets,
  call: S3Call,
  action: string,
  { name = call.bucket!, key = call.key }: { name?: string; key?: string | null } = {},
): Promise<Bucket> {
  const bucket = await buckets.find(name)
  if (!bucket) throw noSuchBucket()
  if (!mayDo(call, bucket, action, key)) throw accessDenied()
  return bucket
}

/** Throws where a bucket cannot have this name. */
export function checkBucketName(name: string): void {
  const [fault] = bucketNameFaults(name)
  if (fault !== undefined)
    throw new S3Error('InvalidBucketName', `The specified bucket is not valid. ${englishText(fault)}`)
}

/** Throws `AccessDenied` for any call of a bucket that is of somebody else than the caller takes for its owner. */
export async function checkExpectedOwner(call: S3Call, buckets: Buckets): Promise<void> {
  const expected = call.headers['x-amz-expected-bucket-owner']
  if (call.bucket === null || expected === undefined) return
  const bucket = await buckets.find(call.bucket)
  if (bucket && !isExpectedOwner(bucket, expected)) throw accessDenied()
}
