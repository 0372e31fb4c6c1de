import type { Readable } from 'node:stream'
import { S3Error } from '@mainstay/engines/s3/errors'
import { withProgressTimeout } from '../../http/streams'

/** The body of a request as an engine of this process reads it: why it does not come to its end is told by a code of S3. */
export const bodyForS3 = (body: Readable, idleMs: number): Readable =>
  withProgressTimeout(body, idleMs, ({ code, message }) =>
    code === 'validation' ? new S3Error('RequestTimeout', message) : new S3Error('IncompleteBody', message),
  )
