import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { S3Error } from '../errors'
import type { S3Source } from '../source'
import { encodeStrictly } from '../signature/canonical'
import { readTarget } from '../signature/target'
import type { Verified } from '../signature/verify'

type HeadWriting = 'writeHead' | 'setHeader' | 'setHeaders' | 'appendHeader' | 'flushHeaders'

/** An S3 request as passed to the operations. */
export interface S3Call {
  id: string
  method: string
  /** Null if the request addresses the service itself. */
  bucket: string | null
  /** Null if the request addresses the bucket itself. */
  key: string | null
  /** Whether the bucket is in the host name (virtual-hosted style). If so, the path contains only the key. */
  isBucketInHost: boolean
  query: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string | undefined>>
  body: Readable
  /** The file in a form upload, which is read instead of the body. `atLeast`: a lower bound for its size. */
  form?: { bytes: AsyncIterable<Buffer>; atLeast: number }
  /** Whether the client waits for `100 Continue` before it sends the body. */
  isWaiting: boolean
  /** Headers are sent only through `begin`, which adds the ones that protect browsers. */
  response: Omit<ServerResponse, HeadWriting>
  begin(status: number, headers: Record<string, string | number>): void
  /** Called with the status and the XML document, which may be empty, before a response is sent. */
  told?: (status: number, document: string) => Promise<void>
  /** Null for an anonymous request. */
  signed: Verified | null
  userId: string | null
  source: S3Source
}

/** Generates a request ID that links a response to its log entries. */
export const newCallId = (): string => randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()

export const MOST_KEY_BYTES = 1024

type Address = Pick<S3Call, 'bucket' | 'key' | 'query' | 'isBucketInHost'>

/**
 * Extracts the bucket, key and query from a URL. Version 4 signatures cover `path`; version 2 signatures cover
 * `rawPath`, which is the path as received, including the bucket. `ofHost`: the bucket in the host name. Throws
 * `InvalidURI`.
 */
export function readAddress(url: string, ofHost: string | null = null): { path: string; rawPath: string } & Address {
  const { names, path, rawPath, query } = readTarget(url)
  const [, first = '', ...rest] = names
  if (ofHost !== null) {
    const key = names.slice(1).join('/')
    const address = { bucket: ofHost, key: key === '' ? null : key, isBucketInHost: true }
    return { path, rawPath: `/${ofHost}${rawPath}`, query, ...address }
  }
  // `//name` must not be served as `/name`, because a reverse proxy may filter requests by path
  if (first === '' && rest.length > 0) throw new S3Error('InvalidURI', 'The URL has no bucket before the key.')
  const key = rest.join('/')
  const address = { bucket: first === '' ? null : first, key: key === '' ? null : key, isBucketInHost: false }
  return { path, rawPath, query, ...address }
}

/** Returns the object's URL as seen by the caller, or just the path if the request has no Host header. */
export function addressOf(
  { source, headers: { host }, isBucketInHost }: Pick<S3Call, 'source' | 'headers' | 'isBucketInHost'>,
  { bucket, key }: { bucket: string; key: string },
): string {
  const origin = host === undefined ? '' : `${source.isSecure ? 'https' : 'http'}://${host}`
  return `${origin}/${isBucketInHost ? '' : `${bucket}/`}${encodeStrictly(key)}`
}

/** Returns a query parameter, or undefined if it is missing. */
export const parameter = ({ query }: Pick<S3Call, 'query'>, name: string): string | undefined =>
  query.find(([it]) => it === name)?.[1]

/** Returns a numeric query parameter, capped at `most`; returns `otherwise` if it is missing or empty. */
export function numberParameter(call: S3Call, name: string, otherwise: number, most: number): number {
  const text = parameter(call, name)
  if (text === undefined || text === '') return otherwise
  if (!/^\d{1,10}$/.test(text))
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`)
  return Math.min(Number(text), most)
}
