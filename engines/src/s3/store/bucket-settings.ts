import type { Acl } from '../policy/acl'
import type { AccessBlock, Ownership } from '../policy/decide'

/** A tag of a bucket or of an object. */
export interface Tag {
  key: string
  value: string
}

/** How long, and how strictly, a version is kept: only its owner's special right ends `GOVERNANCE`, nothing ends `COMPLIANCE`. */
export type RetentionMode = 'GOVERNANCE' | 'COMPLIANCE'

/** Versions of the bucket can be held. `default`: what a new one gets that says nothing itself. */
export interface BucketLock {
  default?: { mode: RetentionMode; days: number }
}

/** Which objects end, and when. Days are counted to the midnight behind them, UTC. */
export interface LifecycleRule {
  id: string
  enabled: boolean
  prefix: string
  /** Whether the prefix stands in the rule itself, as before there were filters; it is told as it was written. */
  isPlain: boolean
  tags: readonly Tag[]
  /** Bytes. */
  largerThan?: number
  smallerThan?: number
  /** `markers`: delete markers that hide nothing any more. `date`: an ISO time, at midnight. */
  expiration?: { days: number } | { date: string } | { markers: boolean }
  /** `keep`: so many of the newest stay in any case. */
  noncurrent?: { days: number; keep: number }
  abortUploadsAfterDays?: number
}

/** What pages of other origins may do by a browser. In `origins` and `headers` one `*` stands for any characters. */
export interface CorsRule {
  id?: string
  methods: readonly string[]
  origins: readonly string[]
  headers: readonly string[]
  exposed: readonly string[]
  maxAgeSeconds?: number
}

/** With what new objects are encrypted. `keyId`: of SSE-KMS; left out: its default key. */
export interface BucketEncryption {
  algorithm: 'AES256' | 'aws:kms'
  keyId?: string
  /** Kept and told; there is nothing that it would save here. */
  bucketKey?: boolean
}

/** What the owner of a bucket has set. What is missing was never set. */
export interface BucketSettings {
  tags?: readonly Tag[]
  cors?: readonly CorsRule[]
  versioning?: 'Enabled' | 'Suspended'
  lock?: BucketLock
  lifecycle?: readonly LifecycleRule[]
  /** Missing: nobody but the owner is granted anything. */
  acl?: Acl
  ownership?: Ownership
  accessBlock?: AccessBlock
  encryption?: BucketEncryption
}
