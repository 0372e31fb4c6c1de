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

/* Request authorization: collects the facts about a bucket or object and passes them to `decideAccess`. */

const noBlock: AccessBlock = {
  blockPublicAcls: false,
  ignorePublicAcls: false,
  blockPublicPolicy: false,
  restrictPublicBuckets: false,
}

const known = new WeakMap<Bucket, BucketAccess>()

/** Returns a bucket's access rules. Its policy is parsed only once per request. */
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
 * Returns an object's access rules. An object without a recorded owner belongs to the bucket owner. If ACLs are
 * disabled, all objects belong to the bucket owner and there are no other grants.
 */
export function accessToObject(bucket: Bucket, { owner, acl }: Pick<ObjectHead, 'owner' | 'acl'>): ObjectAccess {
  const isOff = accessTo(bucket).ownership === 'BucketOwnerEnforced'
  const whose = isOff || owner === undefined ? bucket.owner : owner
  return { owner: whose, acl: isOff || acl === undefined ? privateAcl(whose) : acl }
}

/** Information that a decision depends on in addition to the request. */
interface Known {
  /** The existing object or upload; null if there is none. */
  object?: { head: ObjectHead & { initiator?: string | null } } | null
  /** Tags in the request body. */
  tags?: readonly Tag[]
  /** Overrides the `prefix` query parameter. */
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
  // only policies use the context
  const context =
    access.policy === null
      ? new Map<string, string[]>()
      : contextOf(asked, { existing: object?.head.tags ?? [], ...(tags && { requested: tags }) })
  const thing = object ? { ...accessToObject(bucket, object.head), initiator: object.head.initiator ?? null } : null
  return decideAccess(access, thing, { userId: call.userId, key, context }, [action])[0]!
}

/**
 * Whether the bucket belongs to the expected owner, given as a user ID or canonical ID. After a bucket is deleted,
 * another user may reuse its name.
 */
export const isExpectedOwner = ({ owner }: Bucket, expected: string | undefined): boolean =>
  expected === undefined || expected === owner || expected === canonicalIdOf(owner)

/** Whether the caller may perform the action. `key`: an object in the bucket; null for the bucket itself. */
export function mayDo(call: S3Call, bucket: Bucket, action: string, key: string | null, about: Known = {}): boolean {
  return decisionOn(call, bucket, action, key, about).verdict === 'yes'
}

/** Whether the policy explicitly denies the action to the caller. */
export function isDenied(call: S3Call, bucket: Bucket, action: string, key: string | null): boolean {
  const { by } = decisionOn(call, bucket, action, key, {})
  return by !== null && 'policy' in by && by.policy.effect === 'Deny'
}

/**
 * Throws `AccessDenied` unless the caller may perform the action on the object. If the object does not exist, throws
 * `fault` instead, provided that the caller may list the key and the policy does not deny the action.
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

/** Returns the bucket if the caller may perform the action. Otherwise throws `NoSuchBucket` or `AccessDenied`. */
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

/** Throws `InvalidBucketName` if the name is not a valid bucket name. */
export function checkBucketName(name: string): void {
  const [fault] = bucketNameFaults(name)
  if (fault !== undefined)
    throw new S3Error('InvalidBucketName', `The specified bucket is not valid. ${englishText(fault)}`)
}

/** Throws `AccessDenied` if the bucket does not belong to the owner in `x-amz-expected-bucket-owner`. */
export async function checkExpectedOwner(call: S3Call, buckets: Buckets): Promise<void> {
  const expected = call.headers['x-amz-expected-bucket-owner']
  if (call.bucket === null || expected === undefined) return
  const bucket = await buckets.find(call.bucket)
  if (bucket && !isExpectedOwner(bucket, expected)) throw accessDenied()
}
