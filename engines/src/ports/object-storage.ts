import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { NewS3Key, S3Account, S3Key } from '@mainstay/contract/object-storage/s3-keys'
import type { S3Service } from '@mainstay/contract/object-storage/s3-service'

/** Whose buckets: a person of a domain. */
export interface S3Owner {
  user_id: string
  domain_id: string
}

export interface S3OwnedAccount extends S3Account, S3Owner {}

/** With which key the console's own calls are signed for a person. */
export interface S3Signer {
  accessKey: string
  secretKey: string
}

/** Where calls of S3 go, and what is left to whoever sends them on. */
export interface S3Upstream {
  /** Without a slash at the end: within this machine or beyond. */
  endpoint: string
  /** Authorities that its certificate may be of, PEM; null: those that everybody trusts. */
  ca: string | null
  /** The region that signatures name. */
  region: string
  /**
   * It reads bodies in chunks, and stores none that its checksum does not fit. Where it does not, bodies have to be sent to it
   * plain, and not to their end before they were checked.
   */
  checksBodies: boolean
  /** It answers the tag of an object that was uploaded in parts when its parts are put together. */
  tellsUploadTag: boolean
  /** It knows the header with which a bucket policy is only looked at (`S3_VALIDATE_HEADER`); others would keep the policy. */
  looksAtPolicies: boolean
  /** It takes from the server's own calls from where a person makes them (`S3_SOURCE_HEADER`). */
  takesSource: boolean
}

/** A bucket and what it holds. Size in bytes; the id is of no other bucket, also after this one is deleted. */
export interface S3BucketUsage {
  id: string
  name: string
  owner: string
  size: number
  objects: number
}

/** A call of S3 by a person who was let in by a session, to be answered in this process. */
export interface S3SessionCall {
  owner: S3Owner
  method: string
  /** `path`: percent-encoded, `/bucket/key`; `query`: names and values, decoded. */
  address: { path: string; query: readonly (readonly [string, string])[] }
  /** By lower-case names. */
  headers: Readonly<Record<string, string>>
  /** How the body comes: its hash, or a word of S3 for it. */
  payload: string
  /** Rejects with an `S3Error` where it does not come to its end. */
  body: Readable
  /** Whoever sends it, as policies ask. */
  source: { address: string; isSecure: boolean }
  response: ServerResponse
  /** Gets to know the status and the document of an answer before it goes out; of one to a call that changes something. */
  told?: (status: number, document: string) => Promise<void>
  /** The headers of an answer as they go out. Called once, when it begins. */
  shown(headers: Record<string, string>): Record<string, string>
}

/** What operators change of an account. `quota` in bytes; null: no limit. */
export interface S3AccountChange {
  enabled?: boolean
  quota?: number | null
  quota_objects?: number | null
}

/**
 * Object storage beside the calls of S3 itself, which go to `upstream`. Commands on what is not there reject with the problem
 * `not_found`.
 */
export interface ObjectStoragePort {
  /** Usage is counted for operators. */
  service(): Promise<S3Service>
  /** Makes it available, or takes it away. What is stored stays. */
  setAvailable(available: boolean): Promise<void>
  /** Where S3 calls go. Null where there is no object storage. */
  upstream(): S3Upstream | null
  /** Answers calls of S3 in this process. Null: they have to be sent to `upstream`. Never rejects. */
  answer: ((call: S3SessionCall) => Promise<void>) | null

  /** The account of a person; made where `make` says so, else null where there is none. */
  account(owner: S3Owner, make: boolean): Promise<S3OwnedAccount | null>
  /**
   * What keeps a person from object storage: it is switched off for their domain, or else their account is disabled. Null: nothing.
   * Asks nothing beyond this installation.
   */
  barrierOf(owner: S3Owner): Promise<'domain' | 'account' | null>
  /** Accounts by their user's id, after `marker`. Null as domain: of all. */
  accounts(domainId: string | null, marker: string | undefined, count: number): Promise<S3OwnedAccount[]>
  updateAccount(userId: string, change: S3AccountChange): Promise<S3OwnedAccount>
  /** Rejects with `key_limit` where there are as many as there may be. */
  createKey(userId: string, name: string | null): Promise<NewS3Key>
  /** Rejects with `unsupported` where the engine cannot disable a single key. */
  updateKey(userId: string, accessKey: string, change: { enabled?: boolean; name?: string }): Promise<S3Key>
  deleteKey(userId: string, accessKey: string): Promise<void>
  /** A key of the person that is shown nowhere and counts for no limit; made where there is none, as is the account. */
  signer(owner: S3Owner): Promise<S3Signer>
  /** The secret of one of their own keys, for a link that ends with it. Rejects with `not_found` where it is not enabled. */
  ownSigner(userId: string, accessKey: string): Promise<S3Signer>

  /** Buckets with what they hold, by id, after `after`; at most so many. None where the engine does not count them by itself. */
  bucketUsages(after: string | undefined, most: number): Promise<S3BucketUsage[]>
  /** The id of a bucket, as `bucketUsages` tells it; null where there is none, or buckets are not counted. */
  bucketId(name: string): Promise<string | null>

  /** Whether the users of a domain have object storage; they have where nobody said otherwise. */
  isDomainEnabled(domainId: string): Promise<boolean>
  /** From the answer on, no key of the domain is accepted, or all that are enabled are. */
  setDomainEnabled(domainId: string, enabled: boolean): Promise<void>
}

/** The part of the port that knows who has buckets, with which keys, and which domains have object storage. */
export type S3Accounts = Pick<
  ObjectStoragePort,
  | 'account'
  | 'accounts'
  | 'barrierOf'
  | 'updateAccount'
  | 'createKey'
  | 'updateKey'
  | 'deleteKey'
  | 'signer'
  | 'ownSigner'
  | 'isDomainEnabled'
  | 'setDomainEnabled'
>

declare module './area-ports' {
  interface OwnPorts {
    'object-storage': ObjectStoragePort
  }
}
