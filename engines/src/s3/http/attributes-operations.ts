import { S3Error } from '../errors'
import { MOST_PARTS } from '../store/multipart'
import type { Part, StoredObject } from '../store/types'
import { isVersioned, versionName } from '../store/versions'
import type { S3Call } from './call'
import { readKeyOf } from './encryption-headers'
import { findObject, refuseMarker } from './find-object'
import { checkReadConditions, checksumElements, partChecksum } from './object-headers'
import { readActions } from './object-operations'
import { answer, type Operation } from './operations'
import { writeXml, type WrittenElement } from './xml'

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
type Attribute = (typeof attributes)[number]
const attributeActions = { live: 's3:GetObjectAttributes', named: 's3:GetObjectVersionAttributes' }
const MOST_LISTED = 1000

const invalid = (message: string) => new S3Error('InvalidArgument', message)

function askedAttributes(text: string | undefined): Set<Attribute> {
  const names = (text ?? '').split(',').map((name) => name.trim())
  const found = names.map((name) => attributes.find((it) => it === name))
  if (text === undefined || found.includes(undefined)) throw invalid('Invalid attribute name specified.')
  return new Set(found as Attribute[])
}

function numberHeader({ headers }: S3Call, name: string, otherwise: number, most: number): number {
  const text = headers[name]
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw invalid(`${name} must be a number of at least 0`)
  return Math.min(Number(text), most)
}

/** The requested page of parts: up to `most` parts after part number `after`. */
interface Page {
  most: number
  after: number
}

function partsElement({ most, after }: Page, { parts: count }: StoredObject, all: readonly Part[]): WrittenElement {
  // part numbers are the same as in `partNumber` reads: consecutive, starting at 1
  const page = all.slice(after, after + most)
  return {
    PartsCount: count,
    PartNumberMarker: after,
    NextPartNumberMarker: after + page.length,
    MaxParts: most,
    IsTruncated: after + page.length < all.length,
    Part: page.map((part, at) => ({ PartNumber: after + at + 1, Size: part.size, ...partChecksum(part) })),
  }
}

export const getAttributes: Operation = async (call, store) => {
  const asked = askedAttributes(call.headers['x-amz-object-attributes'])
  const page: Page = {
    most: numberHeader(call, 'x-amz-max-parts', MOST_LISTED, MOST_LISTED),
    after: numberHeader(call, 'x-amz-part-number-marker', 0, MOST_PARTS),
  }
  // the caller must have permission both to read the attributes and to read the object
  await findObject(call, store, attributeActions)
  const { bucket, object } = await findObject(call, store, readActions)
  refuseMarker(object)
  checkReadConditions(call.headers, object)
  readKeyOf(call, store.keys, object)
  const { etag, head, size, mtime } = object
  const has = (name: Attribute, value: WrittenElement[string]) => (asked.has(name) ? { [name]: value } : {})
  const parts = asked.has('ObjectParts') && object.parts > 0 ? await store.objects.partsOf(object) : null
  const body = writeXml('GetObjectAttributesResponse', {
    ...has('ETag', etag),
    ...(head.checksum && has('Checksum', checksumElements(head.checksum))),
    ...(parts && { ObjectParts: partsElement(page, object, parts) }),
    ...has('StorageClass', 'STANDARD'),
    ...has('ObjectSize', size),
  })
  const version = isVersioned(bucket) ? { 'x-amz-version-id': versionName(object.version) } : {}
  await answer(call, 200, { 'last-modified': mtime.toUTCString(), ...version }, body)
}
