import type { ChecksumName } from './digests'

/** What is kept of an object beside its bytes. Headers by lower-case names, `metadata` without `x-amz-meta-`. */
export interface ObjectHead {
  headers: Record<string, string>
  metadata: Record<string, string>
  checksum?: { name: ChecksumName; value: string; type: 'FULL_OBJECT' | 'COMPOSITE' }
}

export interface Bucket {
  id: number
  name: string
  /** The user who owns it. */
  owner: string
  policy: string | null
  created_at: Date
}

export interface StoredObject {
  key: string
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
