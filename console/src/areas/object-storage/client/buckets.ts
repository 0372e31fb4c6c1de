import { childrenOf, parseXml, textOf } from './xml'
import { sendS3 } from './send'

export interface Bucket {
  /** Same as the name. */
  id: string
  name: string
  /** ISO time; null if S3 does not report it. */
  created_at: string | null
}

/** Lists the user's buckets, sorted by name. */
export async function listBuckets(signal?: AbortSignal): Promise<Bucket[]> {
  const reply = await sendS3({ verb: 'GET', signal })
  const list = childrenOf(parseXml(await reply.text()), 'Buckets')[0] ?? null
  return childrenOf(list, 'Bucket').map((bucket) => {
    const name = textOf(bucket, 'Name')
    return { id: name, name, created_at: textOf(bucket, 'CreationDate') || null }
  })
}

/** Rejects with `BucketAlreadyExists` if any user has a bucket with this name. */
export const createBucket = (bucket: string) => sendS3({ verb: 'PUT', bucket })

/** Rejects with `BucketNotEmpty` if the bucket contains anything. */
export const deleteBucket = (bucket: string, signal?: AbortSignal) => sendS3({ verb: 'DELETE', bucket, signal })

/** Rejects with `NoSuchBucket` if the bucket does not exist. */
export async function headBucket(bucket: string, signal?: AbortSignal): Promise<void> {
  // a HEAD response has no body, so a missing bucket could not be distinguished from a missing key
  await sendS3({ verb: 'GET', bucket, query: { location: '' }, signal })
}
