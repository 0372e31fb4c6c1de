import { S3Error, noSuchBucket, noSuchKey, noSuchVersion } from '../errors'
import type { Tag } from '../store/bucket-settings'
import type { Objects } from '../store/objects'
import type { Bucket, StoredObject } from '../store/types'
import { isVersioned, readVersion, versionName } from '../store/versions'
import { checkObject } from './access'
import { parameter, type S3Call } from './call'
import type { S3Store } from './operations'

/** Returns the version header for a response, or nothing if `version` is null. */
export const versionHeader = (version: string | null): Record<string, string> =>
  version === null ? {} : { 'x-amz-version-id': versionName(version) }

/** Returns the headers for a delete marker, or for an object hidden by one. */
const markerHeaders = ({ version }: { version: string | null }) => ({
  'x-amz-delete-marker': 'true',
  'x-amz-version-id': versionName(version),
})

interface Named {
  name: string
  key: string
  /** Undefined for the live version. */
  version: string | null | undefined
}

/** Policy actions: for the live version, and for a version named in the request. */
export interface ObjectAction {
  live: string
  named: string
}

/** Returns the bucket, key and optional version in a request. Throws `InvalidArgument` if the version ID is invalid. */
function namedBy(call: S3Call): Named {
  const version = parameter(call, 'versionId')
  return { name: call.bucket!, key: call.key!, version: version === undefined ? undefined : readVersion(version) }
}

/** Returns the error for a missing object, for callers who are allowed to know that it does not exist. */
async function missing(objects: Objects, bucket: Bucket, { key, version }: Named): Promise<S3Error> {
  if (version !== undefined) return noSuchVersion()
  const marker = isVersioned(bucket) ? await objects.markerOf(bucket, key) : null
  return noSuchKey(marker ? markerHeaders(marker) : {})
}

/**
 * Finds an object or delete marker, by default the one named in the request, and checks that the caller may perform the
 * action. Throws `NoSuchBucket` or `AccessDenied`, or, if the caller may list the key, `NoSuchKey` or `NoSuchVersion`.
 * `tags`: tags in the request body. Also returns the action that was checked.
 */
export async function findObject(
  call: S3Call,
  { buckets, objects }: S3Store,
  actions: ObjectAction,
  { what = namedBy(call), tags = null }: { what?: Named; tags?: readonly Tag[] | null } = {},
): Promise<{ bucket: Bucket; object: StoredObject; action: string }> {
  const { name, key, version } = what
  const bucket = await buckets.find(name)
  if (!bucket) throw noSuchBucket()
  const object = await objects.find(bucket, key, version)
  const fault = object ? null : await missing(objects, bucket, what)
  const action = version === undefined ? actions.live : actions.named
  checkObject(call, bucket, action, { key, object, fault, tags })
  return { bucket, object: object!, action }
}

/** Throws `MethodNotAllowed` if the object is a delete marker, because those can only be deleted. */
export function refuseMarker(object: StoredObject): void {
  if (object.marker)
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      ...markerHeaders(object),
      allow: 'DELETE',
      'last-modified': object.mtime.toUTCString(),
    })
}
