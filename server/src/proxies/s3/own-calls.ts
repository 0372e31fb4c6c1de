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

/* Calls of S3 that the server itself makes for a person, with a key of theirs: S3 decides what they may do. */

/** An object of a list. Size in bytes; `modified`: ISO time. */
export interface ListedObject {
  key: string
  etag: string
  size: number
  modified: string
}

/** Why something stays as it was: a code of S3 and its text. */
export interface KeyFault {
  key: string
  code: string
  message: string
}

/** An object that is to go. `etag`: only if it is still this one, as far as S3 looks at it. */
export interface RemovedObject {
  key: string
  etag?: string
}

/** The most that S3 lists, or deletes, at once. */
export const MOST_AT_ONCE = 1000

/** Calls that throw `S3Refusal` with the code of S3 where it refuses. */
export interface OwnS3 {
  /** Objects whose key begins with the prefix and comes after `after`, in the order of keys. */
  list(
    bucket: string,
    prefix: string,
    after: string,
    most?: number,
  ): Promise<{ objects: ListedObject[]; isLast: boolean }>
  /** Null where there is no such object. `headers`: all that are told of it. */
  head(name: ObjectName): Promise<{ etag: string; size: number; headers: Record<string, string> } | null>
  /** Whether the bucket encrypts what comes without a wish; false where S3 does not tell. */
  encryptsByDefault(bucket: string): Promise<boolean>
  /** The bytes, if they are still those of `etag`. */
  get(name: ObjectName, etag: string): Promise<Readable>
  /**
   * A copy on S3's side, if the source is still that of `etag`. Throws `PreconditionFailed` where it is not, or where the key
   * is taken and may not be replaced. `size` in bytes: what is large is copied part by part.
   */
  copy(from: ObjectName & { etag: string; size: number }, to: ObjectName, how: CopyOptions): Promise<void>
  remove(name: ObjectName): Promise<void>
  /** Deletes up to a thousand objects; one with an etag only while it is still that. Answers those that stay. */
  removeMany(bucket: string, objects: readonly RemovedObject[]): Promise<KeyFault[]>
}

// of the whole process, as its connections are
const forwarding = createForwarding()

/** Where an object is below the address of S3, percent-encoded. */
export const pathOf = ({ bucket, key }: Pick<Asked, 'bucket' | 'key'>): string =>
  `/${encodeStrictly(bucket)}${key === undefined ? '' : `/${key.split('/').map(encodeStrictly).join('/')}`}`
const plainTag = (tag: string) => tag.replaceAll('"', '')
const decoded = (key: string) => decodeURIComponent(key.replaceAll('+', '%20'))

/** Values of headers travel as the bytes of UTF-8, which Node takes for latin1. */
const asText = (value: string) => Buffer.from(value, 'latin1').toString('utf8')
const asHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  )

/** The answer to HEAD has no body: its status has to do. */
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

/** Where S3 is, in whose name it is called, and from where they call. */
export type OwnS3Place = Pick<S3Request, 'upstream' | 'signer' | 'source'>

/** Calls of S3 there, given up when `signal` fires. */
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
