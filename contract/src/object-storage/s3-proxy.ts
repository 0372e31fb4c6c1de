/*
 * The calls of S3 as the console makes them: below this path of the panel's own address, path style, with the session in place of a
 * signature. Whatever signature they carry is dropped; the server signs with a key of the person's own.
 */
export const S3_PROXY_PATH = '/s3proxy'

/** Clients have to sign with something. It opens nothing. */
export const S3_DUMMY_CREDENTIALS = { accessKeyId: 'session', secretAccessKey: 'session' }

/** The longest that a presigned link through the proxy is valid, seconds. */
export const MOST_PRESIGNED_SECONDS = 3600

/**
 * A link that a browser follows brings nothing but its cookie, which belongs to no project: this parameter says in which project
 * the link is followed. It is added after the link was signed.
 */
export const S3_PROJECT_PARAMETER = 'project_id'

/** With this parameter (`inline=1`) an image, a plain text, a sound or a film is shown and not saved. It is added after the link was signed. */
export const S3_INLINE_PARAMETER = 'inline'

/** With this header (`true`) a bucket policy is only looked at: it is refused as it would be, and not kept. */
export const S3_VALIDATE_HEADER = 'x-mainstay-validate-only'

/**
 * The key of an object, where it is not in the path: `/s3proxy/bucket?object_key=a%2F..%2Fb`. Browsers take `.` and `..` between slashes
 * of a path for steps of it, also percent-encoded; of what stands behind `?` they change nothing. It is in no signature.
 */
export const S3_KEY_PARAMETER = 'object_key'
