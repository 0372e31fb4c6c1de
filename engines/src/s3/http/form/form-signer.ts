import { S3Error } from '../../errors'
import { ALGORITHM, CLOCK_SKEW_MS, signatureOf, signingKey, timeOf, UNSIGNED_PAYLOAD } from '../../signature/canonical'
import { signatureV2 } from '../../signature/v2'
import { checkSignature, checkV2, knownSecret, readCredential } from '../../signature/verify'
import type { SecretOf, Verified } from '../../signature/verify'

/* Verifies the signature of a form (version 4 or 2). The string to sign is the policy exactly as sent. */

const invalid = (message: string) => new S3Error('InvalidArgument', message)
/** Lifetime of a signing key and therefore of signatures made with it. */
const MOST_AGE_MS = 7 * 24 * 60 * 60_000

type Fields = ReadonlyMap<string, string>

/** Returns the values of required fields. Throws if one is missing. */
function allOf(fields: Fields, names: readonly string[]): string[] {
  return names.map((name) => {
    const value = fields.get(name.toLowerCase())
    if (!value)
      throw invalid(
        `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
      )
    return value
  })
}

async function verifyV4(fields: Fields, secretOf: SecretOf): Promise<string> {
  const names = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Signature', 'Policy']
  const [algorithm, credential, date, signature, policy] = allOf(fields, names) as [string, ...string[]]
  if (algorithm !== ALGORITHM) throw invalid(`X-Amz-Algorithm must be ${ALGORITHM}`)
  const { accessKey, scope } = readCredential(credential!, invalid)
  const at = timeOf(date)
  if (at === null || date!.slice(0, 8) !== scope.day)
    throw invalid('X-Amz-Date must be a time such as 20260131T080000Z, of the day of the credential')
  if (at > Date.now() + CLOCK_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid')
  if (at < Date.now() - MOST_AGE_MS) throw new S3Error('AccessDenied', 'Request has expired')
  const secret = await knownSecret(secretOf, accessKey)
  checkSignature(signatureOf(signingKey(secret, scope), policy!), signature!)
  return accessKey
}

async function verifyV2(fields: Fields, secretOf: SecretOf): Promise<string> {
  const [accessKey, signature, policy] = allOf(fields, ['AWSAccessKeyId', 'Signature', 'Policy'])
  checkSignature(signatureV2(await knownSecret(secretOf, accessKey!), policy!), signature!)
  return accessKey!
}

/**
 * Verifies the signature of a form; null if the form is not signed, even if it has a policy. Throws `InvalidArgument`
 * if part of the signature is missing, and the same errors as for other requests if it is wrong.
 */
export async function verifyForm(
  fields: Fields,
  secretOf: SecretOf,
  { acceptsV2 }: { acceptsV2: boolean },
): Promise<Verified | null> {
  const isV4 = ['x-amz-signature', 'x-amz-credential', 'x-amz-algorithm'].some((name) => fields.has(name))
  const isV2 = fields.has('awsaccesskeyid') || fields.has('signature')
  if (!isV4 && !isV2) return null
  if (!isV4) checkV2(acceptsV2)
  const accessKey = await (isV4 ? verifyV4 : verifyV2)(fields, secretOf)
  return { accessKey, version: isV4 ? 4 : 2, isInQuery: false, payload: UNSIGNED_PAYLOAD, chunks: null }
}
