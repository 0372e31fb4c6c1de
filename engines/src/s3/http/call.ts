import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { S3Error } from '../errors'
import type { S3Source } from '../source'
import { encodeStrictly } from '../signature/canonical'
import { readTarget } from '../signature/target'
import type { Verified } from '../signature/verify'

type HeadWriting = 'writeHead' | 'setHeader' | 'setHeaders' | 'appendHeader' | 'flushHeaders'

/** An S3 request, as the operations see it. */
export interface S3Call {
  id: string
  method: string
  /** Null for the service itself. */
  bucket: string | null
  /** Null for the bucket itself. */
  key: string | null
  /** Whether the bucket is in the host name, so that the path contains only the key. */
  isBucketInHost: boolean
  query: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string | undefined>>
  body: Readable
  /** The file of a form, which replaces the body. `atLeast`: a lower bound of its size. */
  form?: { bytes: AsyncIterable<Buffer>; atLeast: number }
  /** Whether the client waits for `100 Continue` before it sends the body. */
  isWaiting: boolean
  /** Only `begin` writes the head, because it adds the headers that protect browsers. */
  response: Omit<ServerResponse, HeadWriting>
  begin(status: number, headers: Record<string, string | number>): void
  /** Called with the document of a response, which may be empty, before it is sent. */
  told?: (status: number, document: string) => Promise<void>
  /** Null for an anonymous request. */
  signed: Verified | null
  userId: string | null
  source: S3Source
}

/** Request ID that links a response to its log entries. */
export const newCallId = (): string => randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()

export const MOST_KEY_BYTES = 1024

type Address = Pick<S3Call, 'bucket' | 'key' | 'query' | 'isBucketInHost'>

/**
 * Decodes the bucket, key and query of a URL. `path` is the path for signature version 4; `rawPath` is the unmodified
 * path with the bucket, for version 2. `ofHost`: the bucket in the host name. Throws `InvalidURI`.
 */
export function readAddress(url: string, ofHost: string | null = null): { path: string; rawPath: string } & Address {
  const { names, path, rawPath, query } = readTarget(url)
  const [, first = '', ...rest] = names
  if (ofHost !== null) {
    const key = names.slice(1).join('/')
    const address = { bucket: ofHost, key: key === '' ? null : key, isBucketInHost: true }
    return { path, rawPath: `/${ofHost}${rawPath}`, query, ...address }
  }
  // `//name` must not be served as `/name`, because a proxy in front may filter by path
  if (first === '' && rest.length > 0) throw new S3Error('InvalidURI', 'The URL has no bucket before the key.')
  const key = rest.join('/')
  const address = { bucket: first === '' ? null : first, key: key === '' ? null : key, isBucketInHost: false }
  return { path, rawPath, query, ...address }
}

/** URL of an object as seen by the caller; only a path if the request has no Host header. */
export function addressOf(
  { source, headers: { host }, isBucketInHost }: Pick<S3Call, 'source' | 'headers' | 'isBucketInHost'>,
  { bucket, key }: { bucket: string; key: string },
): string {
  const origin = host === undefined ? '' : `${source.isSecure ? 'https' : 'http'}://${host}`
  return `${origin}/${isBucketInHost ? '' : `${bucket}/`}${encodeStrictly(key)}`
}

/** A query parameter; undefined if it is missing. */
export const parameter = ({ query }: Pick<S3Call, 'query'>, name: string): string | undefined =>
  query.find(([it]) => it === name)?.[1]

/** A numeric query parameter, limited to `most`; `otherwise` if it is missing or empty. */
export function numberParameter(call: S3Call, name: string, otherwise: number, most: number): number {
  const text = parameter(call, name)
  if (text === undefined || text === '') return otherwise
  if (!/^\d{1,10}$/.test(text))
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`)
  return Math.min(Number(text), most)
}
