import { type Problem, type ProblemCode, cloudSays } from '@mainstay/contract/core/problems'
import { s3OnBehalfOf, type OwnS3 } from '../../proxies/s3/own-calls'
import { S3Refusal } from '../../proxies/s3/s3-refusal'
import type { CallRequest } from '../../http/serve'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'
import { ownStorage, s3OwnerOf } from './access.service'

/**
 * Returns an S3 client that acts as the caller and from the caller's address. Throws the same errors as `ownStorage`.
 */
export async function ownS3Of(
  tools: Pick<Tools, 'areas' | 'ports'>,
  caller: Pick<SignedIn, 'user'>,
  { signal, source }: Pick<CallRequest, 'signal' | 'source'>,
): Promise<OwnS3> {
  const storage = await ownStorage(tools, caller)
  return s3OnBehalfOf(
    { upstream: storage.upstream()!, signer: await storage.signer(s3OwnerOf(caller)), source },
    signal,
  )
}

const codes: Readonly<Record<string, ProblemCode>> = {
  NoSuchBucket: 'not_found',
  NoSuchKey: 'not_found',
  AccessDenied: 'forbidden',
  PreconditionFailed: 'conflict',
  KeyExists: 'conflict',
  Changed: 'conflict',
  QuotaExceeded: 'quota_exceeded',
  InsufficientStorage: 'disk_full',
  SlowDown: 'server_busy',
}

/** Converts an S3 error to an API problem. `data.code` contains the S3 error code. */
export function problemOf({ status, code, message }: S3Refusal): Problem {
  const known = codes[code] ?? (status < 500 ? 'validation' : 'engine_unavailable')
  return cloudSays(message, { code: known, data: { code } })
}

/** Makes S3 calls and converts their errors to `Problem`. */
export async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof S3Refusal ? problemOf(error) : error
  }
}
