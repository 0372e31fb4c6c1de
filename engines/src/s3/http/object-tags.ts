import { S3Error, accessDenied, noSuchKey, noSuchVersion } from '../errors'
import type { Tag } from '../store/bucket-settings'
import type { Bucket, StoredObject } from '../store/types'
import { isDenied, mayDo } from './access'
import { readText } from './body'
import { parameter, type S3Call } from './call'
import { findObject, refuseMarker, versionHeader, type ObjectAction } from './find-object'
import { answer, type Operation, type S3Store } from './operations'
import { checkIfMatch, etagHeader } from './settings/seen'
import { readTags, writeTags } from './settings/tags'
import { tagsOfHeader } from './tag-headers'
import { readXml } from './xml'

/* Operations on object tags. For tags that are sent with an object, see `tag-headers.ts`. */

const MOST_DOCUMENT_BYTES = 64 * 1024

/** Returns the policy actions for tagging. */
const actionsOf = (verb: 'Get' | 'Put' | 'Delete'): ObjectAction => ({
  live: `s3:${verb}ObjectTagging`,
  named: `s3:${verb}ObjectVersionTagging`,
})

/** Returns the tag count header, for callers who may read the tags. */
export function tagCountHeader(call: S3Call, bucket: Bucket, object: StoredObject): Record<string, string> {
  const count = object.head.tags?.length ?? 0
  const { live, named } = actionsOf('Get')
  const action = parameter(call, 'versionId') === undefined ? live : named
  return count > 0 && mayDo(call, bucket, action, call.key, { object }) ? { 'x-amz-tagging-count': String(count) } : {}
}

/** Throws `AccessDenied` if a new object has tags and the policy denies `s3:PutObjectTagging`. */
export function checkTagging(call: S3Call, bucket: Bucket, tags: readonly Tag[]): void {
  if (tags.length > 0 && isDenied(call, bucket, 's3:PutObjectTagging', call.key)) throw accessDenied()
}

/**
 * Returns the tags for a copy: from the source, if the caller may read its tags, or from the header. Throws
 * `InvalidArgument` for an unknown directive.
 */
export function tagsOfCopy(
  call: S3Call,
  { bucket, object }: { bucket: Bucket; object: StoredObject },
  target: Bucket,
): readonly Tag[] {
  const directive = call.headers['x-amz-tagging-directive'] ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw new S3Error('InvalidArgument', 'Unknown tagging directive.')
  const ofSource = object.head.tags ?? []
  const tags = directive === 'COPY' ? ofSource : tagsOfHeader(call.headers)
  const { live, named } = actionsOf('Get')
  const action = call.headers['x-amz-copy-source']?.includes('?versionId=') ? named : live
  if (directive === 'COPY' && tags.length > 0 && !mayDo(call, bucket, action, object.key, { object }))
    throw accessDenied()
  checkTagging(call, target, tags)
  return tags
}

/** Replaces the tags of an object if the request's conditions are met. `asked`: new tags; null removes all. */
async function changeTags(
  call: S3Call,
  store: S3Store,
  verb: 'Put' | 'Delete',
  asked: readonly Tag[] | null,
): Promise<Record<string, string>> {
  const { bucket, object } = await findObject(call, store, actionsOf(verb), { tags: asked })
  refuseMarker(object)
  const tags = asked ?? []
  if (tags.length > 0) await store.blobs.checkSpace(0)
  const version = parameter(call, 'versionId') === undefined ? undefined : object.version
  const changed = await store.objects.changeHead(
    bucket,
    { key: object.key, version },
    ({ tags: held = [], ...head }) => {
      checkIfMatch(call, held)
      return { ...head, ...(tags.length > 0 && { tags }) }
    },
  )
  // the object may have been deleted since it was found
  if (!changed) throw version === undefined ? noSuchKey() : noSuchVersion()
  return versionHeader(changed.version)
}

/** Operations by method and subresource. */
export const objectTagCalls: Readonly<Record<string, Operation>> = {
  async 'GET tagging'(call, store) {
    const { object } = await findObject(call, store, actionsOf('Get'))
    refuseMarker(object)
    const { tags = [] } = object.head
    await answer(call, 200, { ...versionHeader(object.version), ...etagHeader(tags) }, writeTags(tags))
  },
  async 'PUT tagging'(call, store) {
    const tags = readTags(readXml(await readText(call, MOST_DOCUMENT_BYTES)), 'object')
    await answer(call, 200, await changeTags(call, store, 'Put', tags))
  },
  async 'DELETE tagging'(call, store) {
    await answer(call, 204, await changeTags(call, store, 'Delete', null))
  },
}
