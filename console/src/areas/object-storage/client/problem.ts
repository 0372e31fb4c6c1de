import { CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { handleUnavailable } from '../availability'
import { parseXml, textOf } from './xml'

/** Codes of S3 that say more in the words of the console. Others are shown with the text of the server. */
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

/** A failure of S3 in words: known codes in those of the console, others with code and text of the server. */
export function faultText(code: string, message: string): string {
  const t = textsNow('objectStorage')
  const known = words[code]
  if (known) return t(known)
  return message ? t('fault.other', { code, message }) : code
}

/**
 * A failed answer of `/s3proxy/` as a problem, whose `code` is that of S3 (`NoSuchKey`), or `s3_disabled` and the like. A
 * service that is taken away is told to the session at once.
 */
export function s3Problem(
  status: number,
  body: string,
  header: (name: string) => string | null = () => null,
): CallProblem {
  const error = parseXml(body)
  // HEAD has no body: its status has to do
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

/** The text of the server, where it said one; else that of the console. */
export const serverMessage = ({ data, message }: CallProblem): string =>
  typeof data['said'] === 'string' && data['said'] !== '' ? data['said'] : message
