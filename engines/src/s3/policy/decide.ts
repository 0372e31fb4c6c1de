import { grantFor, permissionFor, privateAcl, type Acl, type Grant } from './acl'
import { consult, type Policy, type Question, type Said } from './policy'
import { isPublicPolicy } from './public'

/*
 * Access decisions for buckets and objects, with their reasons. This is the only code that combines policies, ACLs,
 * ownership and access blocks. Order of precedence: Deny in the policy, Allow in the policy, ACLs, ownership. Pure
 * functions, used for requests and, without a request, to show users their permissions.
 */

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const
/**
 * Determines who owns objects written by other users. `BucketOwnerEnforced`: the bucket owner, and ACLs are disabled.
 * `BucketOwnerPreferred`: the bucket owner if the writer sets the ACL `bucket-owner-full-control`, otherwise the
 * writer. `ObjectWriter`: the writer.
 */
export type Ownership = (typeof ownerships)[number]
export const isOwnership = (name: string): name is Ownership => ownerships.some((it) => it === name)

/** Settings that block public access regardless of ACLs and the policy. */
export interface AccessBlock {
  /** Rejects new ACLs that grant public access. */
  blockPublicAcls: boolean
  /** Ignores public grants in ACLs. */
  ignorePublicAcls: boolean
  /** Rejects new policies that grant public access. */
  blockPublicPolicy: boolean
  /** If the policy is public, it allows access only to the bucket owner. */
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

/** Access rules of an object or an unfinished upload. */
export interface ObjectAccess {
  owner: string
  acl: Acl
  /** The user who started the upload. */
  initiator?: string | null
}

/** The user and the known context of a request. `key`: an object; null for the bucket itself. */
export interface Asking extends Pick<Question, 'userId' | 'context' | 'isPartial'> {
  key: string | null
}

/**
 * Reason for a decision: a policy statement, a grant, ownership, or having started the upload; null if nothing allows
 * the action.
 */
export type Reason =
  | { policy: Said }
  | { grant: Grant; of: 'bucket' | 'object' }
  | { ownerOf: 'bucket' | 'object' }
  | { begun: true }
  | null

export interface Decision {
  action: string
  /** `depends`: the decision depends on request values that are not known; see `policy.provided`. */
  verdict: 'yes' | 'no' | 'depends'
  by: Reason
}

/** Always allowed for the owner, so that owners cannot lock themselves out of their buckets. */
const ownersAlways = new Set(['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'])
/** Actions that the initiator of an upload may perform without a grant. */
const initiators = new Set(['s3:ListMultipartUploadParts', 's3:AbortMultipartUpload'])

/** Returns the reason why ACLs or ownership allow an action, or null if they do not. */
function byLists(bucket: BucketAccess, object: ObjectAccess | null, userId: string | null, action: string): Reason {
  const isOwner = userId === bucket.owner
  if (initiators.has(action) && userId !== null && userId === object?.initiator) return { begun: true }
  const needed = permissionFor(action)
  if (!needed) return isOwner ? { ownerOf: 'bucket' } : null
  const { of, permission } = needed
  const thing = of === 'bucket' ? bucket : object
  // the object does not exist
  if (!thing) return null
  // with ACLs disabled, everything belongs to the bucket owner
  const isOff = bucket.ownership === 'BucketOwnerEnforced'
  const owner = isOff ? bucket.owner : thing.owner
  const counted = bucket.block.ignorePublicAcls ? thing.acl.filter(({ to }) => 'user' in to) : thing.acl
  const grant = grantFor(isOff ? privateAcl(owner) : counted, userId, permission)
  if (grant) return { grant, of }
  // owners can read and change the ACL even if it grants them nothing
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

/** Decides each action. If the context is complete, as for a request, no verdict is `depends`. */
export const decideAccess = (
  bucket: BucketAccess,
  object: ObjectAccess | null,
  asking: Asking,
  actions: readonly string[],
): Decision[] => actions.map((action) => decide(bucket, object, asking, action))
