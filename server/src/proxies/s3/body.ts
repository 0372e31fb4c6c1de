import type { Readable } from 'node:stream'
import { S3Error } from '@mainstay/engines/s3/errors'
import { withProgressTimeout } from '../../http/streams'

/** The request body for an engine in the same process. Errors have S3 error codes. */
export const bodyForS3 = (body: Readable, idleMs: number): Readable =>
  withProgressTimeout(body, idleMs, ({ code, message }) =>
    code === 'validation' ? new S3Error('RequestTimeout', message) : new S3Error('IncompleteBody', message),
  )
