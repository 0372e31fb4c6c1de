import { CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { handleUnavailable } from '../availability'
import { parseXml, textOf } from './xml'

/** S3 error codes for which the console has a better message. For other codes, it shows the server's message. */
const words: Readonly<Record<string, Key<'objectStorage'>>> = {
  AccessDenied: 'fault.accessDenied',
  BucketAlreadyExists: 'fault.nameTaken',
  BucketAlreadyOwnedByYou: 'fault.nameYours',
  BucketNotEmpty: 'fault.notEmpty',
  Changed: 'fault.changed',
  EntityTooLarge: 'fault.tooLarge',
  InvalidBucketName: 'fault.bucketName',
  KeyExists: 'fault.keyExists',
  KeyTooLongError: 'fault.keyTooLong',
  NoSuchBucket: 'fault.noBucket',
  NoSuchKey: 'fault.noKey',
  NoSuchUpload: 'fault.noUpload',
  QuotaExceeded: 'fault.quota',
  SlowDown: 'fault.slowDown',
}

/** Message for an S3 error: translated for known codes, otherwise the code and the server's message. */
export function faultText(code: string, message: string): string {
  const t = textsNow('objectStorage')
  const known = words[code]
  if (known) return t(known)
  return message ? t('fault.other', { code, message }) : code
}

/**
 * Converts a failed response from `/s3proxy/` into a `CallProblem` whose `code` is the S3 error code (`NoSuchKey`) or a
 * code of our own such as `s3_disabled`. Also updates the session if object storage has become unavailable.
 */
export function s3Problem(
  status: number,
  body: string,
  header: (name: string) => string | null = () => null,
): CallProblem {
  const error = parseXml(body)
  // a HEAD response has no body, so derive the code from the status
  const code =
    textOf(error, 'Code') || (status === 404 ? 'NoSuchKey' : status === 403 ? 'AccessDenied' : `HTTP ${status}`)
  const said = textOf(error, 'Message')
  const problem = new CallProblem({
    kind: 'validation',
    status,
    code,
    message: faultText(code, said),
    data: { said },
    requestId: textOf(error, 'RequestId') || (header('x-amz-request-id') ?? undefined),
  })
  handleUnavailable(problem)
  return problem
}

/** The server's message if there is one, otherwise the console's. */
export const serverMessage = ({ data, message }: CallProblem): string =>
  typeof data['said'] === 'string' && data['said'] !== '' ? data['said'] : message
