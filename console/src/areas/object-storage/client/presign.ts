import {
  MOST_PRESIGNED_SECONDS,
  S3_INLINE_PARAMETER,
  S3_PROJECT_PARAMETER,
} from '@mainstay/contract/object-storage/s3-proxy'
import { isAllTenants, sessionNow } from '../../../session/session'
import { s3Address } from './address'
import { dummyParameters } from './dummy-signature'

/**
 * Creates a link that opens an object with the user's session cookie for one hour. It goes through the proxy and does
 * not work for other users.
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
      // the session cookie does not identify a project
      [S3_PROJECT_PARAMETER]: isAllTenants(session) ? undefined : session.project?.id,
      versionId: version,
      [S3_INLINE_PARAMETER]: isInline ? '1' : undefined,
    },
  )
}
