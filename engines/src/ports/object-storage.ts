import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { NewS3Key, S3Account, S3Key } from '@mainstay/contract/object-storage/s3-keys'
import type { S3Service } from '@mainstay/contract/object-storage/s3-service'

/** A bucket owner: a user in a domain. */
export interface S3Owner {
  user_id: string
  domain_id: string
}

export interface S3OwnedAccount extends S3Account, S3Owner {}

/** The key that signs the console's S3 calls for a user. */
export interface S3Signer {
  accessKey: string
  secretKey: string
}

/** The S3 endpoint, and the features that it supports. Callers must do the work of missing features themselves. */
export interface S3Upstream {
  /** Base URL without a trailing slash, on this host or elsewhere. */
  endpoint: string
  /** CA certificates in PEM to verify its certificate with; null for the system CAs. */
  ca: string | null
  /** The region used in signatures. */
  region: string
  /**
   * The endpoint decodes chunked bodies and rejects those with a wrong checksum. If false, the caller must send plain
   * bodies, and must not complete a body before it has verified the checksum.
   */
  checksBodies: boolean
  /** The endpoint returns the ETag of a completed multipart upload. */
  tellsUploadTag: boolean
  /**
   * The endpoint supports validating a bucket policy without storing it (`S3_VALIDATE_HEADER`). Other endpoints would
   * store the policy.
   */
  looksAtPolicies: boolean
  /** The endpoint accepts the user's source address from the server (`S3_SOURCE_HEADER`). */
  takesSource: boolean
}

/** Usage of a bucket, with the size in bytes. The ID is never reused, even after the bucket is deleted. */
export interface S3BucketUsage {
  id: string
  name: string
  owner: string
  size: number
  objects: number
}

/** An S3 call from a user who is authenticated by a session, to be handled in this process. */
export interface S3SessionCall {
  owner: S3Owner
  method: string
  /** `path` is `/bucket/key`, percent-encoded; `query` contains decoded names and values. */
  address: { path: string; query: readonly (readonly [string, string])[] }
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>
  /** How the body is sent: its SHA-256, or an S3 keyword. */
  payload: string
  /** Fails with an `S3Error` if the body is incomplete. */
  body: Readable
  /** Source of the call, for policy conditions. */
  source: { address: string; isSecure: boolean }
  response: ServerResponse
  /** Called before the response to a mutating call is sent, with its status and document. */
  told?: (status: number, document: string) => Promise<void>
  /** Returns the headers to send with a response. Called once, when the response begins. */
  shown(headers: Record<string, string>): Record<string, string>
}

/** Changes that operators make to an account. `quota` is in bytes; null for no limit. */
export interface S3AccountChange {
  enabled?: boolean
  quota?: number | null
  quota_objects?: number | null
}

/**
 * Object storage, apart from S3 calls, which are sent to `upstream`. Commands for objects that do not exist reject with
 * a `not_found` error.
 */
export interface ObjectStoragePort {
  /** Includes usage, for operators. */
  service(): Promise<S3Service>
  /** Enables or disables object storage. Stored data is kept. */
  setAvailable(available: boolean): Promise<void>
  /** Returns the endpoint for S3 calls, or null if object storage is not available. */
  upstream(): S3Upstream | null
  /** Handles S3 calls in this process. Null if they must be sent to `upstream`. Never rejects. */
  answer: ((call: S3SessionCall) => Promise<void>) | null

  /** Returns the account of a user. If there is none, creates it if `make` is true, and returns null otherwise. */
  account(owner: S3Owner, make: boolean): Promise<S3OwnedAccount | null>
  /**
   * Returns why a user cannot use object storage: it is disabled for the domain, or the account is disabled. Null if
   * the user can. Makes no calls outside this installation.
   */
  barrierOf(owner: S3Owner): Promise<'domain' | 'account' | null>
  /** Returns the accounts after `marker`, sorted by user ID. Pass null as the domain for all domains. */
  accounts(domainId: string | null, marker: string | undefined, count: number): Promise<S3OwnedAccount[]>
  updateAccount(userId: string, change: S3AccountChange): Promise<S3OwnedAccount>
  /** Rejects with a `key_limit` error if the account already has the maximum number of keys. */
  createKey(userId: string, name: string | null): Promise<NewS3Key>
  /** Rejects with an `unsupported` error if the engine cannot disable a single key. */
  updateKey(userId: string, accessKey: string, change: { enabled?: boolean; name?: string }): Promise<S3Key>
  deleteKey(userId: string, accessKey: string): Promise<void>
  /**
   * Returns the user's hidden key, which does not count against the limit. Creates the key and the account if needed.
   */
  signer(owner: S3Owner): Promise<S3Signer>
  /**
   * Returns the secret of one of the user's own keys, for links that are valid as long as the key. Rejects with a
   * `not_found` error unless the key is enabled.
   */
  ownSigner(userId: string, accessKey: string): Promise<S3Signer>

  /**
   * Returns the usage of up to `most` buckets after the ID `after`, sorted by ID. Empty if the engine does not count
   * usage itself.
   */
  bucketUsages(after: string | undefined, most: number): Promise<S3BucketUsage[]>
  /**
   * Returns the ID of a bucket as in `bucketUsages`; null if the bucket does not exist or the engine does not count
   * usage.
   */
  bucketId(name: string): Promise<string | null>

  /** Whether users of a domain can use object storage. Enabled by default. */
  isDomainEnabled(domainId: string): Promise<boolean>
  /**
   * Enables or disables object storage for a domain. When this resolves, the change is in effect: no key of the domain
   * is accepted, or all its enabled keys are.
   */
  setDomainEnabled(domainId: string, enabled: boolean): Promise<void>
}

/** The part of the port that manages accounts, keys, and domain access. */
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
