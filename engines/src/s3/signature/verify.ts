import { S3Error, accessDenied, notImplemented } from '../errors'
import {
  ALGORITHM,
  UNSIGNED_PAYLOAD,
  canonicalRequest,
  checkSkew,
  CLOCK_SKEW_MS,
  sameText,
  signatureOf,
  signingKey,
  stringToSign,
  timeOf,
  type CredentialScope,
  type SignedRequest,
} from './canonical'
import { withPresigned } from './presigned'
import { headerClaimV2, queryClaimV2, signatureV2, stringToSignV2 } from './v2'

/* Authenticates a request by the signature in its header or query. */

const MOST_SECONDS = 604_800

/** A valid signature, and the data needed to verify chunk signatures. */
export interface Verified {
  accessKey: string
  version: 2 | 4
  /** Whether the signature is in the query, which may then also contain headers. */
  isInQuery: boolean
  /** Declared hash of the body, or a constant such as `UNSIGNED-PAYLOAD`. */
  payload: string
  /** Null if this kind of signature does not support signed chunks. */
  chunks: { key: Buffer; scope: CredentialScope; time: string; seed: string } | null
}

interface Claim {
  accessKey: string
  scope: CredentialScope
  signedHeaders: string[]
  signature: string
  time: string
  payload: string
  query: SignedRequest['query']
}

/** Parses `ACCESS_KEY/DAY/REGION/s3/aws4_request`. If that fails, throws the error returned by `refuse`. */
export function readCredential(
  text: string,
  refuse: (message: string) => S3Error,
): { accessKey: string; scope: CredentialScope } {
  const parts = text.split('/')
  const [end, service, region, day, ...key] = parts.toReversed()
  if (end !== 'aws4_request' || service !== 's3' || !region || !/^\d{8}$/.test(day ?? '') || key.length === 0)
    throw refuse('The credential must be ACCESS_KEY/DAY/REGION/s3/aws4_request')
  return { accessKey: key.toReversed().join('/'), scope: { day: day!, region } }
}

function headerClaim({ headers, query }: SignedRequest, text: string): Claim {
  const malformed = (message: string) => new S3Error('AuthorizationHeaderMalformed', message)
  const fields = new Map(
    text
      .slice(ALGORITHM.length)
      .split(',')
      .map((part) => {
        const [name = '', ...value] = part.trim().split('=')
        return [name, value.join('=')] as const
      }),
  )
  const [credential, signed, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) => fields.get(name))
  if (!credential || !signed || !signature) throw malformed('The authorization header is incomplete')
  const payload = headers['x-amz-content-sha256']
  if (payload === undefined) throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing')
  const time = headers['x-amz-date'] ?? ''
  const at = timeOf(time)
  if (at === null) throw accessDenied()
  checkSkew(at)
  return { ...readCredential(credential, malformed), signedHeaders: signed.split(';'), signature, time, payload, query }
}

function queryClaim({ query }: SignedRequest): Claim {
  const wrong = (message: string) => new S3Error('AuthorizationQueryParametersError', message)
  const value = (name: string) => query.find(([it]) => it === name)?.[1]
  const [credential, signed, signature] = ['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map(value)
  if (value('X-Amz-Algorithm') !== ALGORITHM) throw wrong(`X-Amz-Algorithm must be ${ALGORITHM}`)
  if (!credential || !signed || !signature) throw wrong('The signature in the query is incomplete')
  const [time, seconds] = [value('X-Amz-Date') ?? '', value('X-Amz-Expires') ?? '']
  const begins = timeOf(time)
  if (begins === null) throw wrong('X-Amz-Date must be a time such as 20260131T080000Z')
  if (!/^\d{1,7}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > MOST_SECONDS)
    throw new S3Error('AccessDenied', `X-Amz-Expires must be from 1 to ${MOST_SECONDS} seconds`)
  if (begins > Date.now() + CLOCK_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid')
  if (Date.now() > begins + Number(seconds) * 1000) throw new S3Error('AccessDenied', 'Request has expired')
  return {
    ...readCredential(credential, wrong),
    signedHeaders: signed.split(';'),
    ...{ signature, time, payload: UNSIGNED_PAYLOAD },
    query: query.filter(([name]) => name !== 'X-Amz-Signature'),
  }
}

export type SecretOf = (accessKey: string) => Promise<string | null>

/** Returns the secret for an access key. Throws `InvalidAccessKeyId` if the key is not valid. */
export async function knownSecret(secretOf: SecretOf, accessKey: string): Promise<string> {
  const secret = await secretOf(accessKey)
  if (secret === null)
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  return secret
}

/** Throws `SignatureDoesNotMatch` unless the signatures are equal. */
export function checkSignature(computed: string, given: string): void {
  if (!sameText(computed, given))
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
}

/** Throws `InvalidRequest` if version 2 signatures are disabled. */
export function checkV2(isAccepted: boolean): void {
  if (!isAccepted)
    throw new S3Error(
      'InvalidRequest',
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    )
}

const has = ({ query }: SignedRequest, ...names: string[]) => query.some(([name]) => names.includes(name))

/**
 * Verifies the signature of a request; null if the request is not signed. `secretOf` returns the secret for a valid
 * access key, otherwise null. Throws an `S3Error` if the signature is wrong, expired or not yet valid.
 */
export async function verifyRequest(
  request: SignedRequest,
  secretOf: SecretOf,
  { acceptsV2 }: { acceptsV2: boolean },
): Promise<Verified | null> {
  // some clients without a key send an empty header
  const header = request.headers['authorization']?.trim() || undefined
  const inQuery = has(request, 'X-Amz-Signature', 'X-Amz-Algorithm')
    ? 4
    : has(request, 'AWSAccessKeyId', 'Signature')
      ? 2
      : null
  if (header === undefined && inQuery === null) return null
  if (header !== undefined && inQuery !== null)
    throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed; the query and a header both have one')
  if (inQuery === 2 || header?.startsWith('AWS ')) {
    checkV2(acceptsV2)
    return verifyV2(request, header, secretOf)
  }
  return verifyV4(request, header, secretOf)
}

async function verifyV2(request: SignedRequest, header: string | undefined, secretOf: SecretOf): Promise<Verified> {
  const isInQuery = header === undefined
  const claim = isInQuery ? queryClaimV2(request) : headerClaimV2(request, header)
  const secret = await knownSecret(secretOf, claim.accessKey)
  const headers = isInQuery ? withPresigned(request) : request.headers
  checkSignature(signatureV2(secret, stringToSignV2({ ...request, headers }, claim.date)), claim.signature)
  const payload = headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD
  return { accessKey: claim.accessKey, version: 2, isInQuery, payload, chunks: null }
}

async function verifyV4(request: SignedRequest, header: string | undefined, secretOf: SecretOf): Promise<Verified> {
  if (header !== undefined && !header.startsWith(`${ALGORITHM} `)) {
    if (header.startsWith('AWS4-ECDSA')) throw notImplemented('Signature Version 4A')
    throw new S3Error('InvalidArgument', 'Unsupported Authorization Type')
  }
  const claim = header === undefined ? queryClaim(request) : headerClaim(request, header)
  if (claim.time.slice(0, 8) !== claim.scope.day)
    throw new S3Error('SignatureDoesNotMatch', 'The day of the credential differs from that of the request')
  const names = new Set(claim.signedHeaders)
  // each repetition of a name would add the whole header value to the hashed string
  if (names.size < claim.signedHeaders.length)
    throw new S3Error('InvalidRequest', 'SignedHeaders must name each header once')
  // unsigned headers could have been added in transit
  const unsigned = Object.keys(request.headers).find((name) => name.startsWith('x-amz-') && !names.has(name))
  if (!names.has('host') || unsigned !== undefined)
    throw new S3Error(
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned ?? 'host'}`,
    )
  const key = signingKey(await knownSecret(secretOf, claim.accessKey), claim.scope)
  const text = canonicalRequest({
    method: request.method,
    path: request.path,
    ...{ query: claim.query, signedHeaders: claim.signedHeaders, headers: request.headers, payload: claim.payload },
  })
  checkSignature(signatureOf(key, stringToSign(claim.time, claim.scope, text)), claim.signature)
  const { accessKey, payload, scope, time, signature: seed } = claim
  return { accessKey, version: 4, isInQuery: header === undefined, payload, chunks: { key, scope, time, seed } }
}
