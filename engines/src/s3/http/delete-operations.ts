import { httpTime, isoTime } from '@mainstay/contract/core/times'
import { S3Error, accessDenied, noSuchBucket } from '../errors'
import type { DeleteCondition } from '../store/delete-conditions'
import type { Bucket } from '../store/types'
import { createQueue } from '../turns'
import { readVersion, versionName, type Marker } from '../store/versions'
import { accessTo, bucketFor, mayDo } from './access'
import { MOST_LISTED } from './bucket-operations'
import { readText } from './body'
import { parameter, type S3Call } from './call'
import { quoteless } from './object-headers'
import { mayBypass } from './object-lock'
import { answer, type Operation, type S3Store } from './operations'
import { childText, readLongXml, writeXml, type WrittenElement, type XmlElement } from './xml'

const DELETE_DOCUMENT = 2 * 1024 ** 2

/** Parses the conditions of a deletion; null if there are none. Throws `InvalidArgument` if a value is invalid. */
function readCondition(
  etag: string | undefined,
  size: string | undefined,
  time: string | undefined,
): DeleteCondition | null {
  if (etag === undefined && size === undefined && time === undefined) return null
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw new S3Error('InvalidArgument', 'The size is not a number')
  const at = time === undefined ? null : httpTime(time)
  const mtime = at === null ? null : new Date(Number.isNaN(at) ? isoTime(time!) : at)
  if (mtime && (Number.isNaN(mtime.getTime()) || mtime.getUTCFullYear() < 1970 || mtime.getUTCFullYear() > 9999))
    throw new S3Error('InvalidArgument', 'The time of the last modification is not a date')
  return {
    ...(etag !== undefined && { etag: quoteless(etag) }),
    ...(size !== undefined && { size: Number(size) }),
    ...(mtime && { mtime }),
  }
}

/**
 * Whether the caller may read or list the object. Conditional deletions require this permission, because their outcome
 * reveals the object's state.
 */
async function mayKnow(
  call: S3Call,
  { objects }: S3Store,
  bucket: Bucket,
  { key, version }: Pick<Named, 'key' | 'version'>,
): Promise<boolean> {
  const object = await objects.find(bucket, key, version === undefined ? undefined : readVersion(version))
  if (!object) return mayDo(call, bucket, 's3:ListBucket', null)
  return mayDo(call, bucket, version === undefined ? 's3:GetObject' : 's3:GetObjectVersion', key, { object })
}

export const deleteObject: Operation = async (call, store) => {
  const { buckets, objects } = store
  const version = parameter(call, 'versionId')
  const action = version === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion'
  const bucket = await bucketFor(buckets, call, action)
  const { 'if-match': etag, 'x-amz-if-match-size': size, 'x-amz-if-match-last-modified-time': time } = call.headers
  const condition = readCondition(etag, size, time)
  const key = call.key!
  if (condition && !(await mayKnow(call, store, bucket, { key, version }))) throw accessDenied()
  if (version === undefined) {
    const [marker] = await (condition ? objects.removeIf(bucket, key, condition) : objects.remove(bucket, [key]))
    const said = marker && { 'x-amz-delete-marker': 'true', 'x-amz-version-id': versionName(marker.version) }
    return answer(call, 204, said ?? {})
  }
  const named = { key, version: readVersion(version) }
  const removed = await objects.removeVersion(bucket, named, mayBypass(call, bucket, key), condition ?? undefined)
  await answer(call, 204, { 'x-amz-version-id': version, ...(removed?.marker && { 'x-amz-delete-marker': 'true' }) })
}

interface Named {
  key: string
  version: string | undefined
  condition: DeleteCondition | null
}

/**
 * Parses an `Object` element of a `Delete` document. Throws an `S3Error` if it is invalid or the caller may not delete
 * the object.
 */
function readNamed(element: XmlElement, may: (action: string, key: string) => boolean, key: string): Named {
  const version = childText(element, 'VersionId')
  const [etag, size, time] = ['ETag', 'Size', 'LastModifiedTime'].map((name) => childText(element, name))
  const condition = readCondition(etag, size, time)
  const action = version === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion'
  if (!may(action, key)) throw accessDenied()
  return { key, version, condition }
}

type Said = WrittenElement & { Key: string }

/** Deletes plain keys in a single step; deletes versions and objects with conditions one by one. */
async function removeAll(
  { objects }: S3Store,
  bucket: Bucket,
  named: readonly Named[],
  bypass: (key: string) => boolean,
): Promise<{ deleted: Said[]; errors: Said[] }> {
  const isPlain = ({ version, condition }: Named) => version === undefined && condition === null
  const plain = [...new Set(named.filter(isPlain).map(({ key }) => key))]
  const markers = plain.length === 0 ? [] : await objects.remove(bucket, plain)
  const said = (Key: string, marker: Marker | undefined): Said => ({
    Key,
    ...(marker && { DeleteMarker: true, DeleteMarkerVersionId: versionName(marker.version) }),
  })
  const markerOf = new Map(markers.map((marker) => [marker.key, marker]))
  const deleted = plain.map((Key) => said(Key, markerOf.get(Key)))
  const errors: Said[] = []
  for (const { key: Key, version: VersionId, condition } of named) {
    try {
      if (VersionId === undefined) {
        if (condition) deleted.push(said(Key, (await objects.removeIf(bucket, Key, condition))[0]))
        continue
      }
      const of = { key: Key, version: readVersion(VersionId) }
      const removed = await objects.removeVersion(bucket, of, bypass(Key), condition ?? undefined)
      deleted.push({
        ...{ Key, VersionId },
        ...(removed?.marker && { DeleteMarker: true, DeleteMarkerVersionId: VersionId }),
      })
    } catch (error) {
      if (!(error instanceof S3Error)) throw error
      errors.push({ Key, VersionId, Code: error.code, Message: error.message })
    }
  }
  return { deleted, errors }
}

export const deleteObjects: Operation = async (call, store) => {
  const bucket = await store.buckets.find(call.bucket!)
  if (!bucket) throw noSuchBucket()
  // reject anonymous callers before parsing a long list; without a policy, the keys make no difference
  if (call.userId === null && accessTo(bucket).policy === null && !mayDo(call, bucket, 's3:DeleteObject', ''))
    throw accessDenied()
  const document = await readLongXml(await readText(call, DELETE_DOCUMENT))
  const elements = document.children.filter(({ name }) => name === 'Object')
  if (document.name !== 'Delete' || elements.length === 0 || elements.length > MOST_LISTED)
    throw new S3Error('MalformedXML', `A Delete must contain 1 to ${MOST_LISTED} objects`)
  const isQuiet = childText(document, 'Quiet') === 'true'
  const may = (action: string, key: string) => mayDo(call, bucket, action, key)
  const named: Named[] = []
  const refused: Said[] = []
  const turn = createQueue()
  for (const element of elements) {
    // evaluating a policy for a thousand keys can take a long time
    await turn()
    const key = childText(element, 'Key')
    if (key === undefined || key === '') throw new S3Error('MalformedXML', 'An Object has no Key')
    try {
      const one = readNamed(element, may, key)
      if (one.condition && !(await mayKnow(call, store, bucket, one))) throw accessDenied()
      named.push(one)
    } catch (error) {
      if (!(error instanceof S3Error)) throw error
      refused.push({ Key: key, Code: error.code, Message: error.message })
    }
  }
  const { deleted, errors } = await removeAll(store, bucket, named, (key) => mayBypass(call, bucket, key))
  const body = { Deleted: isQuiet ? [] : deleted, Error: [...refused, ...errors] }
  await answer(call, 200, {}, writeXml('DeleteResult', body))
}
