import { CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { handleUnavailable } from '../availability'
import { parseXml, textOf } from './xml'

/** S3 error codes for which the console has a better message. Others are shown with the message of the server. */
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

/** The message for an S3 error: a translated one for known codes, otherwise the code and message of the server. */
export function faultText(code: string, message: string): string {
  const t = textsNow('objectStorage')
  const known = words[code]
  if (known) return t(known)
  return message ? t('fault.other', { code, message }) : code
}

/**
 * Converts a failed reply of `/s3proxy/` into a problem whose `code` is the S3 code (`NoSuchKey`) or one like
 * `s3_disabled`. Also updates the session if object storage has become unavailable.
 */
export function s3Problem(
  status: number,
  body: string,
  header: (name: string) => string | null = () => null,
): CallProblem {
  const error = parseXml(body)
  // a HEAD reply has no body, so derive the code from the status
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

/** The message of the server if there is one, otherwise that of the console. */
export const serverMessage = ({ data, message }: CallProblem): string =>
  typeof data['said'] === 'string' && data['said'] !== '' ? data['said'] : message
