import type { Acl } from '../policy/acl'
import type { AccessBlock, Ownership } from '../policy/decide'

/** A tag on a bucket or an object. */
export interface Tag {
  key: string
  value: string
}

/** `GOVERNANCE` can be bypassed with a special permission; `COMPLIANCE` cannot be bypassed at all. */
export type RetentionMode = 'GOVERNANCE' | 'COMPLIANCE'

/** A bucket's object lock. `default`: retention for new versions that do not set their own. */
export interface BucketLock {
  default?: { mode: RetentionMode; days: number }
}

/** Defines when objects expire. Days are rounded up to the next midnight UTC. */
export interface LifecycleRule {
  id: string
  enabled: boolean
  prefix: string
  /**
   * Whether the prefix is in the rule itself (the old format) rather than in a filter. Responses use the same format.
   */
  isPlain: boolean
  tags: readonly Tag[]
  /** In bytes. */
  largerThan?: number
  smallerThan?: number
  /** `markers`: whether to remove delete markers that no longer hide a version. `date`: ISO time at midnight. */
  expiration?: { days: number } | { date: string } | { markers: boolean }
  /** `keep`: number of newest noncurrent versions to keep regardless of age. */
  noncurrent?: { days: number; keep: number }
  abortUploadsAfterDays?: number
}

/** Requests that web pages from other origins may send. `origins` and `headers` may contain one `*` wildcard each. */
export interface CorsRule {
  id?: string
  methods: readonly string[]
  origins: readonly string[]
  headers: readonly string[]
  exposed: readonly string[]
  maxAgeSeconds?: number
}

/** Default encryption for new objects. `keyId`: key for SSE-KMS; undefined for the default key. */
export interface BucketEncryption {
  algorithm: 'AES256' | 'aws:kms'
  keyId?: string
  /** Stored and returned, but has no effect. */
  bucketKey?: boolean
}

/** A bucket's settings; undefined if never set. */
export interface BucketSettings {
  tags?: readonly Tag[]
  cors?: readonly CorsRule[]
  versioning?: 'Enabled' | 'Suspended'
  lock?: BucketLock
  lifecycle?: readonly LifecycleRule[]
  /** Undefined: only the owner has access. */
  acl?: Acl
  ownership?: Ownership
  accessBlock?: AccessBlock
  encryption?: BucketEncryption
}
