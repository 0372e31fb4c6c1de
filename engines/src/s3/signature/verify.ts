import { timingSafeEqual } from 'node:crypto'
import { S3Error, accessDenied, notImplemented } from '../errors'
import {
  ALGORITHM,
  canonicalRequest,
  signatureOf,
  signingKey,
  stringToSign,
  timeOf,
  type CredentialScope,
} from './canonical'

/* Who sends a request, by its signature in a header or in the query. */

const CLOCK_SKEW_MS = 15 * 60_000
const MOST_SECONDS = 604_800

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

export interface SignedRequest {
  method: string
  /** Each name in it decoded once and encoded once. */
  path: string
  query: readonly (readonly [string, string])[]
  /** Lower-case names; values as Node reads them, latin1. */
  headers: Readonly<Record<string, string | undefined>>
}

/** A signature that is right, with what signatures of chunks go on from. */
export interface Verified {
  accessKey: string
  /** What the body was said to be: a hash, or a word that stands for it. */
  payload: string
  chunks: { key: Buffer; scope: CredentialScope; time: string; seed: string }
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

const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function credentialOf(
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
  if (!credential || !signed || !signature) throw malformed('The authorization header lacks a part')
  const payload = headers['x-amz-content-sha256']
  if (payload === undefined) throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing')
  const time = headers['x-amz-date'] ?? ''
  const at = timeOf(time)
  if (at === null) throw accessDenied()
  if (Math.abs(at - Date.now()) > CLOCK_SKEW_MS)
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    )
  return { ...credentialOf(credential, malformed), signedHeaders: signed.split(';'), signature, time, payload, query }
}

function queryClaim({ query }: SignedRequest): Claim {
  const wrong = (message: string) => new S3Error('AuthorizationQueryParametersError', message)
  const value = (name: string) => query.find(([it]) => it === name)?.[1]
  const [credential, signed, signature] = ['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map(value)
  if (value('X-Amz-Algorithm') !== ALGORITHM) throw wrong(`X-Amz-Algorithm must be ${ALGORITHM}`)
  if (!credential || !signed || !signature) throw wrong('The query lacks a part of the signature')
  const [time, seconds] = [value('X-Amz-Date') ?? '', value('X-Amz-Expires') ?? '']
  const begins = timeOf(time)
  if (begins === null) throw wrong('X-Amz-Date must be a time as 20260131T080000Z')
  if (!/^\d{1,7}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > MOST_SECONDS)
    throw wrong(`X-Amz-Expires must be from 1 to ${MOST_SECONDS} seconds`)
  if (begins > Date.now() + CLOCK_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid')
  if (Date.now() > begins + Number(seconds) * 1000) throw new S3Error('AccessDenied', 'Request has expired')
  return {
    ...credentialOf(credential, wrong),
    signedHeaders: signed.split(';'),
    ...{ signature, time, payload: UNSIGNED_PAYLOAD },
    query: query.filter(([name]) => name !== 'X-Amz-Signature'),
  }
}

/**
 * Checks who signed a request. `secretOf` answers the secret of an access key that may be used now, or null. Null: nobody signed
 * it. Throws `S3Error` for every signature that is not right, too old or too new.
 */
export async function verifyRequest(
  request: SignedRequest,
  secretOf: (accessKey: string) => Promise<string | null>,
): Promise<Verified | null> {
  const header = request.headers['authorization']
  const isInQuery = request.query.some(([name]) => name === 'X-Amz-Signature' || name === 'X-Amz-Algorithm')
  if (header === undefined && !isInQuery) {
    if (request.query.some(([name]) => name === 'AWSAccessKeyId')) throw notImplemented('signatures of version 2')
    return null
  }
  if (header !== undefined && isInQuery)
    throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed; the query and a header both have one')
  if (header !== undefined && !header.startsWith(`${ALGORITHM} `)) {
    if (header.startsWith('AWS ')) throw notImplemented('signatures of version 2')
    if (header.startsWith('AWS4-ECDSA')) throw notImplemented('signatures of version 4a')
    throw new S3Error('InvalidArgument', 'Unsupported Authorization Type')
  }
  const claim = header === undefined ? queryClaim(request) : headerClaim(request, header)
  if (claim.time.slice(0, 8) !== claim.scope.day)
    throw new S3Error('SignatureDoesNotMatch', 'The day of the credential is not that of the request')
  const names = new Set(claim.signedHeaders)
  // what is not signed could be added by anybody on the way
  const unsigned = Object.keys(request.headers).find((name) => name.startsWith('x-amz-') && !names.has(name))
  if (!names.has('host') || unsigned !== undefined)
    throw new S3Error(
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned ?? 'host'}`,
    )
  const secret = await secretOf(claim.accessKey)
  if (secret === null)
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  const key = signingKey(secret, claim.scope)
  const text = canonicalRequest({
    method: request.method,
    path: request.path,
    ...{ query: claim.query, signedHeaders: claim.signedHeaders, headers: request.headers, payload: claim.payload },
  })
  if (!sameText(signatureOf(key, stringToSign(claim.time, claim.scope, text)), claim.signature))
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
  const { accessKey, payload, scope, time, signature: seed } = claim
  return { accessKey, payload, chunks: { key, scope, time, seed } }
}
