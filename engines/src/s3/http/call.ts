import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { S3Error } from '../errors'
import type { S3Source } from '../source'
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

/** Bucket, key and query of an address, decoded, and its path as it is signed and as it came. Throws `InvalidURI`. */
export function readAddress(url: string): { path: string; rawPath: string } & Pick<S3Call, 'bucket' | 'key' | 'query'> {
  const { names, path, rawPath, query } = readTarget(url)
  const [, bucket = '', ...rest] = names
  // `//name` is not `/name`: what a proxy in front allows by its path must be what is served
  if (bucket === '' && rest.length > 0) throw new S3Error('InvalidURI', 'The address names no bucket before its key.')
  const key = rest.join('/')
  return { path, rawPath, query, bucket: bucket === '' ? null : bucket, key: key === '' ? null : key }
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
