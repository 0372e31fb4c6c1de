import type { IncomingMessage, ServerResponse } from 'node:http'
import { S3Error } from '../errors'
import { encodeStrictly } from '../signature/canonical'
import type { Verified } from '../signature/verify'

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
  request: IncomingMessage
  /** The client sends its body once it is told to go on. */
  isWaiting: boolean
  response: ServerResponse
  /** Null: nobody signed it. */
  signed: Verified | null
  userId: string | null
}

export const MOST_KEY_BYTES = 1024

function decode(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // not UTF-8, or no percent-encoding
  }
  throw new S3Error('InvalidURI', "Couldn't parse the specified URI.")
}

/** Bucket, key and query of an address, decoded, and its path as it is signed. Throws `InvalidURI`. */
export function readAddress(url: string): { path: string } & Pick<S3Call, 'bucket' | 'key' | 'query'> {
  const at = url.indexOf('?')
  const raw = at < 0 ? url : url.slice(0, at)
  if (!raw.startsWith('/')) throw new S3Error('InvalidURI', "Couldn't parse the specified URI.")
  const names = raw.split('/').map(decode)
  const path = names.map(encodeStrictly).join('/')
  const query = (at < 0 ? '' : url.slice(at + 1))
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', '%20').split('=')
      return [decode(name), decode(value.join('='))] as const
    })
  const [, bucket = '', ...rest] = names
  const key = rest.join('/')
  return { path, query, bucket: bucket === '' ? null : bucket, key: key === '' ? null : key }
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
