import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { encodeStrictly, UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import type { Asked, CopyOptions, ObjectName } from './asked'
import { copyInParts, copyLimits, refuseError } from './copy-in-parts'
import { childrenOf, rootOf, textOf } from './documents'
import { createForwarding, type S3Request } from './forward'
import { S3Refusal } from './s3-refusal'

/* S3 calls that the server makes on behalf of a user, with one of the user's keys. S3 checks the permissions. */

/** An object in a listing. `size` is in bytes, and `modified` is an ISO time. */
export interface ListedObject {
  key: string
  etag: string
  size: number
  modified: string
}

/** Why an object was left unchanged: the S3 error code and its message. */
export interface KeyFault {
  key: string
  code: string
  message: string
}

/** An object to delete. If there is an `etag`, it is deleted only if it still matches, as far as S3 supports this. */
export interface RemovedObject {
  key: string
  etag?: string
}

/** Maximum number of objects that S3 lists or deletes in one call. */
export const MOST_AT_ONCE = 1000

/** All methods throw `S3Refusal` with the error code from S3. */
export interface OwnS3 {
  /** Objects whose key starts with the prefix and sorts after `after`, in the order of their keys. */
  list(
    bucket: string,
    prefix: string,
    after: string,
    most?: number,
  ): Promise<{ objects: ListedObject[]; isLast: boolean }>
  /** Returns null if the object does not exist. `headers` contains its metadata. */
  head(name: ObjectName): Promise<{ etag: string; size: number; headers: Record<string, string> } | null>
  /** Whether the bucket encrypts new objects by default. False if S3 does not report this. */
  encryptsByDefault(bucket: string): Promise<boolean>
  /** The content of an object, provided that its ETag is still `etag`. */
  get(name: ObjectName, etag: string): Promise<Readable>
  /**
   * Copies an object within S3, provided that its ETag is still `etag`. Throws `PreconditionFailed` if it is not, or if
   * the target key exists and must not be replaced. `size` is in bytes. Large objects are copied in parts.
   */
  copy(from: ObjectName & { etag: string; size: number }, to: ObjectName, how: CopyOptions): Promise<void>
  remove(name: ObjectName): Promise<void>
  /**
   * Deletes up to 1000 objects. Those with an `etag` are deleted only if it still matches. Returns the objects that
   * were not deleted.
   */
  removeMany(bucket: string, objects: readonly RemovedObject[]): Promise<KeyFault[]>
}

// the whole process shares one instance and its connections
const forwarding = createForwarding()

/** Path of an object below the S3 endpoint, percent-encoded. */
export const pathOf = ({ bucket, key }: Pick<Asked, 'bucket' | 'key'>): string =>
  `/${encodeStrictly(bucket)}${key === undefined ? '' : `/${key.split('/').map(encodeStrictly).join('/')}`}`
const plainTag = (tag: string) => tag.replaceAll('"', '')
const decoded = (key: string) => decodeURIComponent(key.replaceAll('+', '%20'))

/** Header values are UTF-8 text, which Node decodes as latin1. */
const asText = (value: string) => Buffer.from(value, 'latin1').toString('utf8')
const asHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  )

/** HEAD responses have no body, so the error code is derived from the status. */
const codeOfStatus: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  412: 'PreconditionFailed',
}

async function refusalOf(response: IncomingMessage): Promise<S3Refusal> {
  const status = response.statusCode!
  const root = rootOf(await text(response))
  const code = textOf(root, 'Code') || (codeOfStatus[status] ?? `HTTP ${status}`)
  return new S3Refusal(status, code, textOf(root, 'Message') || code)
}

/** The S3 endpoint, the key that signs requests, and the caller's origin. */
export type OwnS3Place = Pick<S3Request, 'upstream' | 'signer' | 'source'>

/** Makes S3 calls to that endpoint. They are aborted when `signal` is. */
export function s3OnBehalfOf({ upstream, signer, source }: OwnS3Place, signal: AbortSignal): OwnS3 {
  async function send({ method, bucket, key, query = {}, headers = {}, body }: Asked): Promise<IncomingMessage> {
    const response = await forwarding.send(
      {
        ...{ upstream, method, signer, source, payload: UNSIGNED_PAYLOAD },
        address: { path: pathOf({ bucket, ...(key !== undefined && { key }) }), query: Object.entries(query) },
        headers: {
          ...asHeaders(headers),
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
        body: body === undefined ? null : Readable.from([Buffer.from(body)], { objectMode: false }),
      },
      signal,
    )
    if (response.statusCode! >= 300) throw await refusalOf(response)
    return response
  }
  const sendAll = async (asked: Asked): Promise<Element | null> => rootOf(await text(await send(asked)))

  const head: OwnS3['head'] = async ({ bucket, key }) => {
    try {
      const response = await send({ method: 'HEAD', bucket, key })
      response.resume()
      const { etag = '', 'content-length': size = '0' } = response.headers
      const all = Object.entries(response.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, asText(value)] as const] : [],
      )
      return { etag: plainTag(etag), size: Number(size), headers: Object.fromEntries(all) }
    } catch (error) {
      if (error instanceof S3Refusal && error.status === 404) return null
      throw error
    }
  }

  return {
    async list(bucket, prefix, after, most = MOST_AT_ONCE) {
      const query = { 'list-type': '2', 'encoding-type': 'url', prefix, 'max-keys': String(most) }
      const root = await sendAll({
        method: 'GET',
        bucket,
        query: { ...query, ...(after !== '' && { 'start-after': after }) },
      })
      return {
        objects: childrenOf(root, 'Contents').map((item) => ({
          key: decoded(textOf(item, 'Key')),
          etag: plainTag(textOf(item, 'ETag')),
          size: Number(textOf(item, 'Size')),
          modified: textOf(item, 'LastModified'),
        })),
        isLast: textOf(root, 'IsTruncated') !== 'true',
      }
    },
    head,
    async encryptsByDefault(bucket) {
      try {
        return (await sendAll({ method: 'GET', bucket, query: { encryption: '' } })) !== null
      } catch (error) {
        if (error instanceof S3Refusal && error.status < 500) return false
        throw error
      }
    },
    get: ({ bucket, key }, etag) => send({ method: 'GET', bucket, key, headers: { 'if-match': `"${etag}"` } }),
    async copy(from, to, how) {
      const { overwrite, headers: replaced, encryption } = how
      if (from.size > copyLimits.atOnce) return copyInParts({ send, sendAll, head, sourceOf: pathOf }, from, to, how)
      const headers = {
        ...(replaced && { ...replaced, 'x-amz-metadata-directive': 'REPLACE' }),
        ...encryption,
        ...{ 'x-amz-copy-source': pathOf(from), 'x-amz-copy-source-if-match': `"${from.etag}"` },
        ...(!overwrite && { 'if-none-match': '*' }),
      }
      refuseError(await sendAll({ method: 'PUT', ...to, headers, body: '' }))
    },
    async remove({ bucket, key }) {
      ;(await send({ method: 'DELETE', bucket, key })).resume()
    },
    async removeMany(bucket, objects) {
      const named = objects.map(({ key, etag }) => {
        const condition = etag === undefined ? '' : `<ETag>${escapeXml(etag)}</ETag>`
        return `<Object><Key>${escapeXml(key)}</Key>${condition}</Object>`
      })
      const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${named.join('')}</Delete>`
      const headers = { 'content-type': 'application/xml' }
      const root = await sendAll({ method: 'POST', bucket, query: { delete: '' }, headers, body })
      return childrenOf(root, 'Error').map((fault) => ({
        ...{ key: textOf(fault, 'Key'), code: textOf(fault, 'Code'), message: textOf(fault, 'Message') },
      }))
    },
  }
}
