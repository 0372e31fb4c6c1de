/** Why a call of S3 is refused: codes of S3 itself, with the status of each. A code is added here before it is used. */
const statusOf = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyExists: 409,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedPolicy: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  MissingRequestBodyError: 400,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  RequestTimeTooSkewed: 403,
  RequestTimeout: 400,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const
export type S3Code = keyof typeof statusOf

/** A refusal in words of S3. `headers` go with the answer. */
export class S3Error extends Error {
  readonly code: S3Code
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(code: S3Code, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'S3Error'
    this.code = code
    this.status = statusOf[code]
    this.headers = headers
  }
}

export const notImplemented = (what: string): S3Error =>
  new S3Error('NotImplemented', `This object storage has no ${what}`)
export const accessDenied = (): S3Error => new S3Error('AccessDenied', 'Access Denied')
export const noSuchKey = (): S3Error => new S3Error('NoSuchKey', 'The specified key does not exist.')
export const noSuchBucket = (): S3Error => new S3Error('NoSuchBucket', 'The specified bucket does not exist')
export const noSuchUpload = (): S3Error =>
  new S3Error('NoSuchUpload', 'The specified upload does not exist. It may have been aborted or completed.')
