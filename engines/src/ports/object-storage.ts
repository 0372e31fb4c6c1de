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

/**
 * Object storage beside the calls of S3 itself, which go to `upstream`. Commands on what is not there reject with the problem
 * `not_found`.
 */
export interface ObjectStoragePort {
  /** Usage is counted for operators. */
  service(): Promise<S3Service>
  /** Makes it available, or takes it away. What is stored stays. */
  setAvailable(available: boolean): Promise<void>
  /** Where S3 calls go, without a slash at the end: within this machine or beyond. Null where there is no object storage. */
  upstream(): string | null

  /** The account of a person; made where `make` says so, else null where there is none. */
  account(owner: S3Owner, make: boolean): Promise<S3OwnedAccount | null>
  /** Accounts by their user's id, after `marker`. Null as domain: of all. */
  accounts(domainId: string | null, marker: string | undefined, count: number): Promise<S3OwnedAccount[]>
  updateAccount(userId: string, change: { enabled?: boolean; quota?: number | null }): Promise<S3OwnedAccount>
  /** Rejects with `key_limit` where there are as many as there may be. */
  createKey(userId: string, name: string | null): Promise<NewS3Key>
  updateKey(userId: string, accessKey: string, change: { enabled?: boolean; name?: string }): Promise<S3Key>
  deleteKey(userId: string, accessKey: string): Promise<void>
  /** A key of the person that is shown nowhere and counts for no limit; made where there is none. */
  signer(userId: string): Promise<S3Signer>

  /** Whether the users of a domain have object storage; they have where nobody said otherwise. */
  isDomainEnabled(domainId: string): Promise<boolean>
  /** From the answer on, no key of the domain is accepted, or all that are enabled are. */
  setDomainEnabled(domainId: string, enabled: boolean): Promise<void>
}
