import { canonicalIdOf } from '../accounts'
import { S3Error, accessDenied, noSuchKey } from '../errors'
import { isPrivateAcl, isPublicAcl, privateAcl, type Acl, type Grant } from '../policy/acl'
import { isOwnership } from '../policy/decide'
import type { BucketSettings } from '../store/bucket-settings'
import type { Bucket, ObjectHead } from '../store/types'
import { accessTo, accessToObject, bucketFor, isDenied, mayDo } from './access'
import { askedAcl, requestedAcl, groupUri, resolveAcl, type AskedAcl } from './acl-read'
import type { S3Call } from './call'
import { findObject, refuseMarker, versionHeader } from './find-object'
import { answer, type Operation, type S3Store } from './operations'
import { writeXml, type WrittenElement } from './xml'

/** Returns the XML element for a user. */
export const userElement = (userId: string): WrittenElement => ({ ID: canonicalIdOf(userId), DisplayName: userId })

/** Returns the XML element for the owner of an object or upload. */
export const ownerElement = (bucket: Bucket, owner: string | null | undefined): WrittenElement =>
  userElement(accessToObject(bucket, owner ? { owner } : {}).owner)

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const writtenGrant = ({ to, permission }: Grant): WrittenElement => ({
  ...('user' in to
    ? { [`Grantee ${XSI} xsi:type="CanonicalUser"`]: userElement(to.user) }
    : { [`Grantee ${XSI} xsi:type="Group"`]: { URI: groupUri(to.group) } }),
  Permission: permission,
})
const writtenAcl = (owner: string, acl: Acl): string =>
  writeXml('AccessControlPolicy', { Owner: userElement(owner), AccessControlList: { Grant: acl.map(writtenGrant) } })

const notSupported = () => new S3Error('AccessControlListNotSupported', 'The bucket does not allow ACLs')

/** Throws `AccessDenied` if the ACL grants public access and the bucket blocks public ACLs. */
function checkBlock(bucket: Bucket, acl: Acl): void {
  if (accessTo(bucket).block.blockPublicAcls && isPublicAcl(acl)) throw accessDenied()
}

/** Whether ACLs are disabled. If so, throws if the request sets an ACL other than `bucket-owner-full-control`. */
function isOff(bucket: Bucket, asked: AskedAcl | null): boolean {
  if (accessTo(bucket).ownership !== 'BucketOwnerEnforced') return false
  if (asked !== null && !('canned' in asked && asked.canned === 'bucket-owner-full-control')) throw notSupported()
  return true
}

/** Returns the object ownership and ACL for a new bucket, from the request headers. */
export async function sharingOfNewBucket(
  call: S3Call,
  store: S3Store,
  owner: string,
): Promise<Pick<BucketSettings, 'acl' | 'ownership'>> {
  const ownership = call.headers['x-amz-object-ownership']
  if (ownership !== undefined && !isOwnership(ownership))
    throw new S3Error('InvalidArgument', `The object ownership ${ownership} does not exist`)
  const asked = askedAcl(call.headers)
  const acl = asked && (await resolveAcl(call, store, asked, { owner, bucketOwner: owner }))
  if (ownership === 'BucketOwnerEnforced' && acl && !isPrivateAcl(acl, owner)) throw aclsAreInUse()
  const isPlain = acl === null || (asked && 'canned' in asked && isPrivateAcl(acl, owner))
  return { ...(ownership && { ownership }), ...(!isPlain && { acl }) }
}

/** Returns the error for an attempt to disable ACLs while the bucket's ACL grants access to others. */
export const aclsAreInUse = (): S3Error =>
  new S3Error(
    'InvalidBucketAclWithObjectOwnership',
    'Bucket cannot have ACLs set with ObjectOwnership BucketOwnerEnforced. Make its access list private first',
  )

/**
 * Returns the owner and ACL for a new object, from the request headers. Throws if the request sets an ACL that is not
 * allowed because ACLs are disabled, the bucket blocks public ACLs, or its policy denies `s3:PutObjectAcl`.
 */
export async function sharingOfNew(
  call: S3Call,
  store: S3Store,
  bucket: Bucket,
): Promise<Pick<ObjectHead, 'owner' | 'acl'>> {
  const asked = askedAcl(call.headers)
  if (isOff(bucket, asked)) return {}
  const canned = asked && 'canned' in asked ? asked.canned : null
  const isGivenUp = accessTo(bucket).ownership === 'BucketOwnerPreferred' && canned === 'bucket-owner-full-control'
  // anonymous uploads belong to the bucket owner, so that a user can read and manage them
  const owner = isGivenUp ? bucket.owner : (call.userId ?? bucket.owner)
  const writer = owner === bucket.owner ? {} : { owner }
  if (!asked || canned === 'private') return writer
  if (isDenied(call, bucket, 's3:PutObjectAcl', call.key)) throw accessDenied()
  const acl = await resolveAcl(call, store, asked, { owner, bucketOwner: bucket.owner })
  checkBlock(bucket, acl)
  return { ...writer, acl }
}

export const getBucketAcl: Operation = async (call, { buckets }) => {
  const { owner, acl, ownership } = accessTo(await bucketFor(buckets, call, 's3:GetBucketAcl'))
  // with ACLs disabled, the owner has full control
  await answer(call, 200, {}, writtenAcl(owner, ownership === 'BucketOwnerEnforced' ? privateAcl(owner) : acl))
}

export const putBucketAcl: Operation = async (call, store) => {
  const bucket = await bucketFor(store.buckets, call, 's3:PutBucketAcl')
  const refuseOff = (it: Bucket) => {
    if (accessTo(it).ownership === 'BucketOwnerEnforced') throw notSupported()
  }
  refuseOff(bucket)
  const { owner } = bucket
  const acl = await resolveAcl(call, store, await requestedAcl(call, owner), { owner, bucketOwner: owner })
  await store.buckets.set(bucket, 'acl', acl, (held) => {
    refuseOff(held)
    checkBlock(held, acl)
  })
  await answer(call, 200, {})
}

const getAcl = { live: 's3:GetObjectAcl', named: 's3:GetObjectVersionAcl' }
const putAcl = { live: 's3:PutObjectAcl', named: 's3:PutObjectVersionAcl' }

export const getObjectAcl: Operation = async (call, store) => {
  const { bucket, object } = await findObject(call, store, getAcl)
  refuseMarker(object)
  const { owner, acl } = accessToObject(bucket, object.head)
  await answer(call, 200, versionHeader(object.version), writtenAcl(owner, acl))
}

export const putObjectAcl: Operation = async (call, store) => {
  const { bucket, object, action } = await findObject(call, store, putAcl)
  refuseMarker(object)
  const { owner } = accessToObject(bucket, object.head)
  const asked = await requestedAcl(call, owner)
  if (!isOff(bucket, asked)) {
    const acl = await resolveAcl(call, store, asked, { owner, bucketOwner: bucket.owner })
    checkBlock(bucket, acl)
    await store.blobs.checkSpace(0)
    const named = { key: call.key!, version: object.version }
    const changed = await store.objects.changeHead(bucket, named, (head) => {
      // another user may have overwritten the object since it was read
      const isSame = accessToObject(bucket, head).owner === owner
      if (!isSame || !mayDo(call, bucket, action, call.key, { object: { head } })) throw accessDenied()
      return { ...head, acl }
    })
    if (!changed) throw noSuchKey()
  }
  await answer(call, 200, versionHeader(object.version))
}
