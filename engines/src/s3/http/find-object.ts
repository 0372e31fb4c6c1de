import { S3Error, noSuchBucket, noSuchKey, noSuchVersion } from '../errors'
import type { Tag } from '../store/bucket-settings'
import type { Objects } from '../store/objects'
import type { Bucket, StoredObject } from '../store/types'
import { isVersioned, readVersion, versionName } from '../store/versions'
import { checkObject } from './access'
import { parameter, type S3Call } from './call'
import type { S3Store } from './operations'

/** How a new version is told; a bucket that makes none tells nothing. */
export const versionHeader = (version: string | null): Record<string, string> =>
  version === null ? {} : { 'x-amz-version-id': versionName(version) }

/** What is said of an object that is hidden by a delete marker, or of the marker itself. */
const markerHeaders = ({ version }: { version: string | null }) => ({
  'x-amz-delete-marker': 'true',
  'x-amz-version-id': versionName(version),
})

interface Named {
  name: string
  key: string
  /** Undefined: the live one. */
  version: string | null | undefined
}

/** What policies call it to do something with the live version, and with one that is named. */
export interface ObjectAction {
  live: string
  named: string
}

/** What a call names: its bucket, its key, and a version if it says one. Throws `InvalidArgument`. */
function namedBy(call: S3Call): Named {
  const version = parameter(call, 'versionId')
  return { name: call.bucket!, key: call.key!, version: version === undefined ? undefined : readVersion(version) }
}

/** Why there is no such object, for those who may know. */
async function missing(objects: Objects, bucket: Bucket, { key, version }: Named): Promise<S3Error> {
  if (version !== undefined) return noSuchVersion()
  const marker = isVersioned(bucket) ? await objects.markerOf(bucket, key) : null
  return noSuchKey(marker ? markerHeaders(marker) : {})
}

/**
 * The object or the delete marker that is named, by default by the call itself, if the caller may do it with that. Throws
 * `NoSuchBucket` and `AccessDenied`; that there is no such object (`NoSuchKey`, `NoSuchVersion`) is told to those who may list it. `action`: which one it was;
 * `tags`: those that the body of the call asks for.
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

/** Throws for a delete marker, which can only be deleted. */
export function refuseMarker(object: StoredObject): void {
  if (object.marker)
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      ...markerHeaders(object),
      allow: 'DELETE',
      'last-modified': object.mtime.toUTCString(),
    })
}
