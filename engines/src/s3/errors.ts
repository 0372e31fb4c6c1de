/** S3 error codes with their HTTP status codes. Add a code here before using it. */
const statusOf = {
  AccessControlListNotSupported: 400,
  AccessDenied: 403,
  AmbiguousGrantByEmailAddress: 400,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  AccessForbidden: 403,
  BadRequest: 400,
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
  InvalidBucketAclWithObjectOwnership: 400,
  InvalidBucketName: 400,
  InvalidChunkSizeError: 403,
  InvalidDigest: 400,
  InvalidEncryptionAlgorithmError: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidPolicyDocument: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidURI: 400,
  'KMS.NotFoundException': 400,
  KeyTooLongError: 400,
  MalformedACLError: 400,
  MalformedPOSTRequest: 400,
  MalformedPolicy: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MaxPostPreDataLengthExceeded: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  MissingRequestBodyError: 400,
  MissingSecurityHeader: 400,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NoSuchObjectLockConfiguration: 404,
  ObjectLockConfigurationNotFoundError: 404,
  InvalidBucketState: 409,
  IllegalVersioningConfigurationException: 400,
  InvalidRetentionPeriod: 400,
  NotImplemented: 501,
  NotModified: 304,
  OperationAborted: 409,
  OwnershipControlsNotFoundError: 404,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  TooManyBuckets: 400,
  RequestTimeTooSkewed: 403,
  RequestTimeout: 400,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  UnexpectedContent: 400,
  UnresolvableGrantByEmailAddress: 400,
  XAmzContentSHA256Mismatch: 400,
} as const
export type S3Code = keyof typeof statusOf

/** An S3 error. `headers` are added to the response. */
export class S3Error extends Error {
  readonly code: S3Code
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Additional XML elements that name the missing bucket or key. */
  about: Readonly<Record<string, string>> = {}
  constructor(code: S3Code, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'S3Error'
    this.code = code
    this.status = statusOf[code]
    this.headers = headers
  }
}

export const notImplemented = (what: string): S3Error =>
  new S3Error('NotImplemented', `This object storage does not support ${what}`)
export const accessDenied = (): S3Error => new S3Error('AccessDenied', 'Access Denied')
export const insufficientStorage = (): S3Error =>
  new S3Error('InsufficientStorage', 'Object storage does not have enough free space. Nothing was stored')
export const noSuchKey = (headers: Readonly<Record<string, string>> = {}): S3Error =>
  new S3Error('NoSuchKey', 'The specified key does not exist.', headers)
export const noSuchBucket = (): S3Error => new S3Error('NoSuchBucket', 'The specified bucket does not exist')
export const preconditionFailed = (): S3Error =>
  new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
export const noSuchVersion = (): S3Error => new S3Error('NoSuchVersion', 'The specified version does not exist.')
export const noSuchUpload = (): S3Error =>
  new S3Error('NoSuchUpload', 'The specified upload does not exist. It may have been aborted or completed.')
