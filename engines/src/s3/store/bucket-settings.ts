import type { Acl } from '../policy/acl'
import type { AccessBlock, Ownership } from '../policy/decide'

/** A tag of a bucket or an object. */
export interface Tag {
  key: string
  value: string
}

/** `GOVERNANCE` can be bypassed with a special permission, `COMPLIANCE` cannot be bypassed at all. */
export type RetentionMode = 'GOVERNANCE' | 'COMPLIANCE'

/** Object lock of a bucket. `default`: retention of new versions that set none themselves. */
export interface BucketLock {
  default?: { mode: RetentionMode; days: number }
}

/** When objects expire. Days are rounded up to the next midnight UTC. */
export interface LifecycleRule {
  id: string
  enabled: boolean
  prefix: string
  /** Whether the prefix is in the rule itself (the old format) instead of in a filter; it is returned the same way. */
  isPlain: boolean
  tags: readonly Tag[]
  /** In bytes. */
  largerThan?: number
  smallerThan?: number
  /** `markers`: remove delete markers that no longer hide a version. `date`: ISO time at midnight. */
  expiration?: { days: number } | { date: string } | { markers: boolean }
  /** `keep`: number of newest noncurrent versions that never expire. */
  noncurrent?: { days: number; keep: number }
  abortUploadsAfterDays?: number
}

/** Requests that web pages of other origins may send. `origins` and `headers` may contain one `*` wildcard. */
export interface CorsRule {
  id?: string
  methods: readonly string[]
  origins: readonly string[]
  headers: readonly string[]
  exposed: readonly string[]
  maxAgeSeconds?: number
}

/** Default encryption of new objects. `keyId`: key for SSE-KMS; undefined for the default key. */
export interface BucketEncryption {
  algorithm: 'AES256' | 'aws:kms'
  keyId?: string
  /** Stored and returned, but without effect here. */
  bucketKey?: boolean
}

/** Settings of a bucket; undefined if never set. */
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
