import type { Acl } from '../policy/acl'
import type { BucketSettings, RetentionMode, Tag } from './bucket-settings'
import type { ChecksumName } from './digests'
import type { Encryption } from './encryption-keys'

/** Metadata of an object. Header names are lower case; those of `metadata` lack the prefix `x-amz-meta-`. */
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
  /** The user who wrote the object, if other than the bucket owner. */
  owner?: string
  /** Undefined: only the owner has access. */
  acl?: Acl
}

/** Object lock of a version. `until`: ISO time. */
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

/** Conditions of a write: an ETag without quotes, or (`ifNoneMatch`) that no object exists. */
export interface WriteCondition {
  ifMatch?: string | undefined
  ifNoneMatch?: boolean
}

/** SQL interval for which replaced files are kept, because they may still be read. */
export const KEEP_READ = "interval '1 hour'"
