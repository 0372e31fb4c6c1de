import {
  MOST_PRESIGNED_SECONDS,
  S3_INLINE_PARAMETER,
  S3_PROJECT_PARAMETER,
} from '@mainstay/contract/object-storage/s3-proxy'
import { isAllTenants, sessionNow } from '../../../session/session'
import { s3Address } from './address'
import { dummyParameters } from './dummy-signature'

/**
 * A link to an object that the browser can follow by itself for an hour, with its session cookie. It is made for the proxy:
 * it opens nothing for anybody else.
 */
export function presigned(
  bucket: string,
  key: string,
  { isInline = false, version = undefined as string | undefined, now = new Date() } = {},
): string {
  const session = sessionNow()
  return s3Address(
    { bucket, key },
    {
      ...dummyParameters(MOST_PRESIGNED_SECONDS, now),
      // a cookie belongs to no project
      [S3_PROJECT_PARAMETER]: isAllTenants(session) ? undefined : session.project?.id,
      versionId: version,
      [S3_INLINE_PARAMETER]: isInline ? '1' : undefined,
    },
  )
}
