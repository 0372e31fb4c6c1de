/*
 * Prefix for the console's S3 calls, at the panel's own address. Calls use path style and are authenticated by the
 * session. Their signatures are ignored; the server signs them with one of the user's keys.
 */
export const S3_PROXY_PATH = '/s3proxy'

/** S3 clients require credentials to sign with. These credentials give no access. */
export const S3_DUMMY_CREDENTIALS = { accessKeyId: 'session', secretAccessKey: 'session' }

/** Maximum lifetime of a presigned link through the proxy, in seconds. */
export const MOST_PRESIGNED_SECONDS = 3600

/**
 * Query parameter with the project. A link opened in the browser sends only the session cookie, which is not tied to a
 * project. It is added after signing.
 */
export const S3_PROJECT_PARAMETER = 'project_id'

/**
 * Query parameter (`inline=1`) to display images, plain text, audio and video in the browser instead of downloading
 * them. It is added after signing.
 */
export const S3_INLINE_PARAMETER = 'inline'

/** Header (`true`) to validate a bucket policy without saving it. */
export const S3_VALIDATE_HEADER = 'x-mainstay-validate-only'

/**
 * Query parameter with the object key, instead of the path: `/s3proxy/bucket?object_key=a%2F..%2Fb`. Browsers resolve
 * `.` and `..` in a path even if they are percent-encoded, but never in a query. It is not part of the signature.
 */
export const S3_KEY_PARAMETER = 'object_key'
