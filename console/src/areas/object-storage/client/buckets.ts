import { childrenOf, parseXml, textOf } from './xml'
import { sendS3 } from './send'

export interface Bucket {
  /** Its name, which is its id. */
  id: string
  name: string
  /** ISO time; null where S3 does not tell. */
  created_at: string | null
}

/** Own buckets, by name. */
export async function listBuckets(signal?: AbortSignal): Promise<Bucket[]> {
  const reply = await sendS3({ verb: 'GET', signal })
  const list = childrenOf(parseXml(await reply.text()), 'Buckets')[0] ?? null
  return childrenOf(list, 'Bucket').map((bucket) => {
    const name = textOf(bucket, 'Name')
    return { id: name, name, created_at: textOf(bucket, 'CreationDate') || null }
  })
}

/** Rejects with `BucketAlreadyExists` where anybody has one of this name. */
export const createBucket = (bucket: string) => sendS3({ verb: 'PUT', bucket })

/** Rejects with `BucketNotEmpty` while something is in it. */
export const deleteBucket = (bucket: string, signal?: AbortSignal) => sendS3({ verb: 'DELETE', bucket, signal })

/** Rejects with `NoSuchBucket` where there is none. */
export async function headBucket(bucket: string, signal?: AbortSignal): Promise<void> {
  // the answer to HEAD has no body, so that its code could not be told from that of a key
  await sendS3({ verb: 'GET', bucket, query: { location: '' }, signal })
}
