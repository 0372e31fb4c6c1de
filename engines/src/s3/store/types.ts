import type { Acl } from '../policy/acl'
import type { BucketSettings, RetentionMode, Tag } from './bucket-settings'
import type { ChecksumName } from './digests'
import type { Encryption } from './encryption-keys'

/** What is kept of an object beside its bytes. Headers by lower-case names, `metadata` without `x-amz-meta-`. */
export interface ObjectHead {
  headers: Record<string, string>
  metadata: Record<string, string>
  /** Names of headers whose values did not come as UTF-8, and go out as they came. */
  latin1?: readonly string[]
  checksum?: { name: ChecksumName; value: string; type: 'FULL_OBJECT' | 'COMPOSITE' }
  /** Of bytes that are encrypted. */
  encryption?: Encryption
  lock?: ObjectLock
  tags?: readonly Tag[]
  /** The user who wrote it, where that is not who owns the bucket. */
  owner?: string
  /** Missing: nobody but its owner is granted anything. */
  acl?: Acl
}

/** Why a version cannot be removed. `until`: an ISO time. */
export interface ObjectLock {
  mode?: RetentionMode
  until?: string
  hold?: boolean
}

export interface Bucket {
  id: number
  name: string
  /** The user who owns it. */
  owner: string
  policy: string | null
  settings: BucketSettings
  created_at: Date
}

export interface StoredObject {
  key: string
  /** Null: the version that S3 calls `null`. */
  version: string | null
  /** Says that the object was deleted, and has no bytes. */
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
  /** As `crc32:BASE64`; null: none is known. */
  checksum: string | null
}

/** Conditions of a write, without quotes. `ifNoneMatch`: nothing may be there. */
export interface WriteCondition {
  ifMatch?: string | undefined
  ifNoneMatch?: boolean
}

/** SQL: readers have a file that was overwritten open for a while. */
export const KEEP_READ = "interval '1 hour'"
