import { bucketNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import { arnOf } from '../accounts'
import { S3Error, accessDenied, noSuchBucket } from '../errors'
import type { Context } from '../policy/conditions'
import { decide, readPolicy } from '../policy/policy'
import type { Buckets } from '../store/buckets'
import type { Bucket } from '../store/types'
import { parameter, type S3Call } from './call'

/* Who may do what: the owner, whatever no policy denies; others, what a policy allows. */

/** Nobody locks themselves out of their own bucket: its owner can always mend the policy. */
const ownersAlways = new Set(['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'])

function contextOf({ headers, userId, request, ...call }: S3Call): Context {
  const now = new Date()
  const address = request.socket.remoteAddress
  const known: [string, string | undefined][] = [
    ['aws:sourceip', address],
    ['aws:securetransport', String('encrypted' in request.socket)],
    ['aws:referer', headers['referer']],
    ['aws:useragent', headers['user-agent']],
    ['aws:currenttime', now.toISOString()],
    ['aws:epochtime', String(Math.floor(now.getTime() / 1000))],
    ['aws:principalarn', userId === null ? undefined : arnOf(userId)],
    ['aws:userid', userId ?? undefined],
    ['aws:username', userId ?? undefined],
    ['s3:prefix', parameter(call, 'prefix')],
    ['s3:delimiter', parameter(call, 'delimiter')],
    ['s3:max-keys', parameter(call, 'max-keys')],
    ...['x-amz-acl', 'x-amz-copy-source', 'x-amz-metadata-directive'].map((name): [string, string | undefined] => [
      `s3:${name}`,
      headers[name],
    ]),
  ]
  return new Map(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]] as const])))
}

/** Whether the caller may do it. `resource`: a key of the bucket; null: the bucket itself. */
export function mayDo(call: S3Call, bucket: Bucket, action: string, resource: string | null): boolean {
  const { userId } = call
  const isOwner = userId === bucket.owner
  if (isOwner && ownersAlways.has(action)) return true
  if (bucket.policy === null) return isOwner
  const said = decide(readPolicy(bucket.policy, bucket.name), {
    ...{ userId, action, context: contextOf(call) },
    resource: resource === null ? bucket.name : `${bucket.name}/${resource}`,
  })
  return said === 'Deny' ? false : said === 'Allow' || isOwner
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
  if (fault !== undefined) throw new S3Error('InvalidBucketName', `The specified bucket is not valid. ${fault}`)
}
