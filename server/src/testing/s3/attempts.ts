import {
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type BucketCannedACL,
  type ObjectCannedACL,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import type { Person, S3People } from './people'

export type Who = Person | 'anonymous'

/** Possible actions, by letter. `acl`: the existing access list. */
const attempts: Record<string, (Bucket: string, acl: string) => [object, method: string, path: string]> = {
  l: (Bucket) => [new ListObjectsV2Command({ Bucket }), 'GET', '?list-type=2'],
  w: (Bucket) => [new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' }), 'PUT', '/new'],
  g: (Bucket) => [new GetBucketAclCommand({ Bucket }), 'GET', '?acl'],
  p: (Bucket, acl) => [new PutBucketAclCommand({ Bucket, ACL: acl as BucketCannedACL }), 'PUT', '?acl'],
  R: (Bucket) => [new GetObjectCommand({ Bucket, Key: 'key' }), 'GET', '/key'],
  H: (Bucket) => [new HeadObjectCommand({ Bucket, Key: 'key' }), 'HEAD', '/key'],
  G: (Bucket) => [new GetObjectAclCommand({ Bucket, Key: 'key' }), 'GET', '/key?acl'],
  P: (Bucket, acl) => [new PutObjectAclCommand({ Bucket, Key: 'key', ACL: acl as ObjectCannedACL }), 'PUT', '/key?acl'],
}
/** Returns the letters of the actions that a user may perform; all others must be refused with 403. */
export async function may(
  { bench, clients }: S3People,
  who: Who,
  what: string,
  Bucket: string,
  acl: string,
): Promise<string> {
  let done = ''
  for (const letter of what) {
    const [command, method, path] = attempts[letter]!(Bucket, acl)
    const status =
      who === 'anonymous'
        ? (
            await fetch(`${bench.endpoint}/${Bucket}${path}`, {
              method,
              ...(method === 'PUT' && { body: path.includes('acl') ? '' : 'x' }),
              headers: path.includes('acl') && method === 'PUT' ? { 'x-amz-acl': acl } : {},
            })
          ).status
        : await clients[who].send(command as GetObjectCommand).then(
            () => 200,
            ({ $metadata }: S3ServiceException) => $metadata.httpStatusCode,
          )
    expect([200, 403], `${letter} by ${who}`).toContain(status)
    done += status === 200 ? letter : '-'
  }
  return done
}
