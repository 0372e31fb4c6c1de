import { grantFor, permissionFor, privateAcl, type Acl, type Grant } from './acl'
import { consult, type Policy, type Question, type Said } from './policy'
import { isPublicPolicy } from './public'

/*
 * Access decisions for buckets and objects, and their reasons: the only place that combines policy, access lists,
 * ownership and access block. The order is: Deny of the policy, Allow of the policy, access lists, ownership. Pure
 * functions, used for requests and, without a request, for showing users their permissions.
 */

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const
/**
 * Owner of objects written by other users: the bucket owner, with access lists off; the bucket owner if the writer
 * sends the list `bucket-owner-full-control`; or the writer.
 */
export type Ownership = (typeof ownerships)[number]
export const isOwnership = (name: string): name is Ownership => ownerships.some((it) => it === name)

/** Switches that block public access regardless of access lists and policy. */
export interface AccessBlock {
  /** Rejects new access lists that grant public access. */
  blockPublicAcls: boolean
  /** Ignores public grants of access lists. */
  ignorePublicAcls: boolean
  /** Rejects new policies that grant public access. */
  blockPublicPolicy: boolean
  /** A public policy allows access only to the owner. */
  restrictPublicBuckets: boolean
}

/** Access rules of a bucket. */
export interface BucketAccess {
  name: string
  owner: string
  policy: Policy | null
  acl: Acl
  ownership: Ownership
  block: AccessBlock
}

/** Access rules of an object or of an unfinished upload. */
export interface ObjectAccess {
  owner: string
  acl: Acl
  /** The user who started the upload. */
  initiator?: string | null
}

/** The user and the known context of a request. `key`: an object; null means the bucket itself. */
export interface Asking extends Pick<Question, 'userId' | 'context' | 'isPartial'> {
  key: string | null
}

/** Reason of a decision: a policy statement, a grant, ownership, or starting the upload; null if nothing allows it. */
export type Reason =
  | { policy: Said }
  | { grant: Grant; of: 'bucket' | 'object' }
  | { ownerOf: 'bucket' | 'object' }
  | { begun: true }
  | null

export interface Decision {
  action: string
  /** `depends`: the decision depends on unknown values of the request; see `policy.provided`. */
  verdict: 'yes' | 'no' | 'depends'
  by: Reason
}

/** The owner can always change the policy, so that owners cannot lock themselves out of their bucket. */
const ownersAlways = new Set(['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'])
/** Actions that the initiator of an upload may perform without a grant. */
const initiators = new Set(['s3:ListMultipartUploadParts', 's3:AbortMultipartUpload'])

/** The reason why access lists or ownership allow an action; null if they do not. */
function byLists(bucket: BucketAccess, object: ObjectAccess | null, userId: string | null, action: string): Reason {
  const isOwner = userId === bucket.owner
  if (initiators.has(action) && userId !== null && userId === object?.initiator) return { begun: true }
  const needed = permissionFor(action)
  if (!needed) return isOwner ? { ownerOf: 'bucket' } : null
  const { of, permission } = needed
  const thing = of === 'bucket' ? bucket : object
  // the object does not exist
  if (!thing) return null
  // with access lists off, everything belongs to the bucket owner
  const isOff = bucket.ownership === 'BucketOwnerEnforced'
  const owner = isOff ? bucket.owner : thing.owner
  const counted = bucket.block.ignorePublicAcls ? thing.acl.filter(({ to }) => 'user' in to) : thing.acl
  const grant = grantFor(isOff ? privateAcl(owner) : counted, userId, permission)
  if (grant) return { grant, of }
  // owners can change the access list even if it grants them nothing
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

/** Decides each action. With the complete context of a request, no verdict is `depends`. */
export const decideAccess = (
  bucket: BucketAccess,
  object: ObjectAccess | null,
  asking: Asking,
  actions: readonly string[],
): Decision[] => actions.map((action) => decide(bucket, object, asking, action))
