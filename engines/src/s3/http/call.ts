import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { S3Error } from '../errors'
import type { S3Source } from '../source'
import { encodeStrictly } from '../signature/canonical'
import { readTarget } from '../signature/target'
import type { Verified } from '../signature/verify'

type HeadWriting = 'writeHead' | 'setHeader' | 'setHeaders' | 'appendHeader' | 'flushHeaders'

/** A request as the operations read it. */
export interface S3Call {
  id: string
  method: string
  /** Null: the service itself. */
  bucket: string | null
  /** Null: the bucket itself. */
  key: string | null
  /** The host names the bucket, and the path is the key. */
  isBucketInHost: boolean
  query: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string | undefined>>
  body: Readable
  /** The file of a form, in the place of the body. Of its length is known only that it is not less. */
  form?: { bytes: AsyncIterable<Buffer>; atLeast: number }
  /** The client sends its body once it is told to go on. */
  isWaiting: boolean
  /** Its head is written by `begin` alone, which leaves out what a browser must not have. */
  response: Omit<ServerResponse, HeadWriting>
  begin(status: number, headers: Record<string, string | number>): void
  /** Gets to know an answer with a document, or with none, before it goes out. */
  told?: (status: number, document: string) => Promise<void>
  /** Null: nobody signed it. */
  signed: Verified | null
  userId: string | null
  source: S3Source
}

/** By which an answer, and what is logged about it, can be found. */
export const newCallId = (): string => randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()

export const MOST_KEY_BYTES = 1024

type Address = Pick<S3Call, 'bucket' | 'key' | 'query' | 'isBucketInHost'>

/**
 * Bucket, key and query of an address, decoded, and its path as it is signed and, with the bucket, as version 2 signs it. `ofHost`: the
 * bucket that the host names. Throws `InvalidURI`.
 */
export function readAddress(url: string, ofHost: string | null = null): { path: string; rawPath: string } & Address {
  const { names, path, rawPath, query } = readTarget(url)
  const [, first = '', ...rest] = names
  if (ofHost !== null) {
    const key = names.slice(1).join('/')
    const address = { bucket: ofHost, key: key === '' ? null : key, isBucketInHost: true }
    return { path, rawPath: `/${ofHost}${rawPath}`, query, ...address }
  }
  // `//name` is not `/name`: what a proxy in front allows by its path must be what is served
  if (first === '' && rest.length > 0) throw new S3Error('InvalidURI', 'The address names no bucket before its key.')
  const key = rest.join('/')
  const address = { bucket: first === '' ? null : first, key: key === '' ? null : key, isBucketInHost: false }
  return { path, rawPath, query, ...address }
}

/** Where an object is, as the caller reaches this storage; without a host where the caller named none. */
export function addressOf(
  { source, headers: { host }, isBucketInHost }: Pick<S3Call, 'source' | 'headers' | 'isBucketInHost'>,
  { bucket, key }: { bucket: string; key: string },
): string {
  const origin = host === undefined ? '' : `${source.isSecure ? 'https' : 'http'}://${host}`
  return `${origin}/${isBucketInHost ? '' : `${bucket}/`}${encodeStrictly(key)}`
}

/** A parameter of the query; undefined where there is none. */
export const parameter = ({ query }: Pick<S3Call, 'query'>, name: string): string | undefined =>
  query.find(([it]) => it === name)?.[1]

/** A number of the query from `least` to `most`: beyond that it is `most`. */
export function numberParameter(call: S3Call, name: string, otherwise: number, most: number): number {
  const text = parameter(call, name)
  if (text === undefined || text === '') return otherwise
  if (!/^\d{1,10}$/.test(text))
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`)
  return Math.min(Number(text), most)
}
