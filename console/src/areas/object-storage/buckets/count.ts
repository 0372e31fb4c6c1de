import { listObjects, MOST_KEYS } from '../client/objects'

/**
 * S3 does not report bucket sizes, so the console adds up the sizes of listed objects, from at most this many pages.
 */
const MOST_PAGES = 10

/** Totals for a bucket's contents. Size in bytes. */
export interface BucketCount {
  objects: number
  size: number
  /** ISO time of the newest object; null if the bucket is empty. */
  changed: string | null
  /** True if the bucket has more objects than were counted. */
  isMore: boolean
}

/** Counts up to 10 000 objects, 1000 per request. */
export async function countBucket(bucket: string, signal: AbortSignal): Promise<BucketCount> {
  const count: BucketCount = { objects: 0, size: 0, changed: null, isMore: false }
  let token: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { objects, next } = await listObjects(bucket, { prefix: '', maxKeys: MOST_KEYS, token }, signal)
    for (const { Size, LastModified } of objects) {
      count.objects += 1
      count.size += Size
      if (count.changed === null || LastModified > count.changed) count.changed = LastModified
    }
    token = next
    if (token === undefined) return count
  }
  return { ...count, isMore: true }
}
