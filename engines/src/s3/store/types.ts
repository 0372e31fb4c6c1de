import type { Acl } from '../policy/acl'
import type { BucketSettings, RetentionMode, Tag } from './bucket-settings'
import type { ChecksumName } from './digests'
import type { Encryption } from './encryption-keys'

/** An object's metadata. Header names are in lower case, and those in `metadata` have no `x-amz-meta-` prefix. */
export interface ObjectHead {
  headers: Record<string, string>
  metadata: Record<string, string>
  /** Names of headers whose values were not UTF-8 and are returned unchanged. */
  latin1?: readonly string[]
  checksum?: { name: ChecksumName; value: string; type: 'FULL_OBJECT' | 'COMPOSITE' }
  /** Set if the object is encrypted. */
  encryption?: Encryption
  lock?: ObjectLock
  tags?: readonly Tag[]
  /** The user who wrote the object, if it was not the bucket owner. */
  owner?: string
  /** Undefined: only the owner has access. */
  acl?: Acl
}

/** Object lock on a version. `until`: ISO time. */
export interface ObjectLock {
  mode?: RetentionMode
  until?: string
  hold?: boolean
}

export interface Bucket {
  id: number
  name: string
  /** ID of the user who owns the bucket. */
  owner: string
  policy: string | null
  settings: BucketSettings
  created_at: Date
}

export interface StoredObject {
  key: string
  /** Null for the version that S3 calls `null`. */
  version: string | null
  /** Whether this is a delete marker, which has no data. */
  marker: boolean
  size: number
  mtime: Date
  etag: string
  blob: string | null
  parts: number
  inline: Buffer | null
  head: ObjectHead
}

export interface Part {
  n: number
  file: string
  size: number
  etag: string
  /** Such as `crc32:BASE64`; null if unknown. */
  checksum: string | null
}

/** Conditions for a write: an ETag without quotes, or (`ifNoneMatch`) that the object does not exist. */
export interface WriteCondition {
  ifMatch?: string | undefined
  ifNoneMatch?: boolean
}

/** SQL interval for which replaced files are kept, because readers may still be using them. */
export const KEEP_READ = "interval '1 hour'"
