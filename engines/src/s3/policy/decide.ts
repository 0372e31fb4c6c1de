import { grantFor, permissionFor, privateAcl, type Acl, type Grant } from './acl'
import { consult, type Policy, type Question, type Said } from './policy'
import { isPublicPolicy } from './public'

/*
 * Who may do what with a bucket and its objects, and why: the one place where policy, access lists, ownership and block come
 * together. First what the policy denies, then what it allows, then access lists, then ownership. Pure: requests are decided by
 * it, and what it answers without a request is what people are shown.
 */

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const
/**
 * Who owns what others write: the bucket's owner, and there are no lists; the bucket's owner, if the writer says so by the list
 * `bucket-owner-full-control`; the writer.
 */
export type Ownership = (typeof ownerships)[number]
export const isOwnership = (name: string): name is Ownership => ownerships.some((it) => it === name)

/** Switches that keep out people who are not named, whatever lists and policy say. */
export interface AccessBlock {
  /** No list is set that lets them in. */
  blockPublicAcls: boolean
  /** What lists grant them does not count. */
  ignorePublicAcls: boolean
  /** No policy is set that lets them in. */
  blockPublicPolicy: boolean
  /** A policy that lets them in allows nothing to others than the owner. */
  restrictPublicBuckets: boolean
}

/** What stands about a bucket. */
export interface BucketAccess {
  name: string
  owner: string
  policy: Policy | null
  acl: Acl
  ownership: Ownership
  block: AccessBlock
}

/** What stands about an object, or about an upload that is to become one. */
export interface ObjectAccess {
  owner: string
  acl: Acl
  /** Who began the upload. */
  initiator?: string | null
}

/** Who asks, and what is known of the request. A key of the bucket, or null: the bucket itself. */
export interface Asking extends Pick<Question, 'userId' | 'context' | 'isPartial'> {
  key: string | null
}

/** Why: a statement of the policy, a grant, what the asker owns or has begun; null: nothing allows it. */
export type Reason =
  | { policy: Said }
  | { grant: Grant; of: 'bucket' | 'object' }
  | { ownerOf: 'bucket' | 'object' }
  | { begun: true }
  | null

export interface Decision {
  action: string
  /** `depends`: on what is not known of the request; see `policy.provided`. */
  verdict: 'yes' | 'no' | 'depends'
  by: Reason
}

/** Nobody locks themselves out of their own bucket: its owner can always mend the policy. */
const ownersAlways = new Set(['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'])
/** Whoever began an upload sees its parts, and may give it up. */
const initiators = new Set(['s3:ListMultipartUploadParts', 's3:AbortMultipartUpload'])

/** What lists and ownership allow; null: nothing. */
function byLists(bucket: BucketAccess, object: ObjectAccess | null, userId: string | null, action: string): Reason {
  const isOwner = userId === bucket.owner
  if (initiators.has(action) && userId !== null && userId === object?.initiator) return { begun: true }
  const needed = permissionFor(action)
  if (!needed) return isOwner ? { ownerOf: 'bucket' } : null
  const { of, permission } = needed
  const thing = of === 'bucket' ? bucket : object
  // nothing is known of an object that is not there
  if (!thing) return null
  // where there are no lists, everything is the bucket owner's
  const isOff = bucket.ownership === 'BucketOwnerEnforced'
  const owner = isOff ? bucket.owner : thing.owner
  const counted = bucket.block.ignorePublicAcls ? thing.acl.filter(({ to }) => 'user' in to) : thing.acl
  const grant = grantFor(isOff ? privateAcl(owner) : counted, userId, permission)
  if (grant) return { grant, of }
  // an owner who has granted themselves nothing can still mend the list
  return userId === owner && permission.endsWith('_ACP') ? { ownerOf: of } : null
}

function decide(bucket: BucketAccess, object: ObjectAccess | null, asking: Asking, action: string): Decision {
  const { userId, key } = asking
  const isOwner = userId === bucket.owner
  if (isOwner && ownersAlways.has(action)) return { action, verdict: 'yes', by: { ownerOf: 'bucket' } }
  const resource = key === null ? bucket.name : `${bucket.name}/${key}`
  const said = bucket.policy === null ? [] : consult(bucket.policy, { ...asking, action, resource })
  const [denials, all] = ['Deny', 'Allow'].map((effect) => said.filter((it) => it.effect === effect)) as [
    Said[],
    Said[],
  ]
  const isRestricted = !isOwner && bucket.block.restrictPublicBuckets && isPublicPolicy(bucket.policy)
  const allowances = isRestricted ? [] : all
  const surely = (them: Said[]) => them.find(({ provided }) => provided.length === 0)

  const denied = surely(denials)
  if (denied) return { action, verdict: 'no', by: { policy: denied } }
  const allowed = surely(allowances)
  const by = allowed ? { policy: allowed } : byLists(bucket, object, userId, action)
  if (by)
    return denials[0] ? { action, verdict: 'depends', by: { policy: denials[0] } } : { action, verdict: 'yes', by }
  return allowances[0]
    ? { action, verdict: 'depends', by: { policy: allowances[0] } }
    : { action, verdict: 'no', by: null }
}

/** Whether somebody may do each of these actions, and why. With the whole context of a request no answer is `depends`. */
export const decideAccess = (
  bucket: BucketAccess,
  object: ObjectAccess | null,
  asking: Asking,
  actions: readonly string[],
): Decision[] => actions.map((action) => decide(bucket, object, asking, action))
