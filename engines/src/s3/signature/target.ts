import { S3Error } from '../errors'
import { encodeStrictly } from './canonical'

/** What a request asks for: the names of its path and the pairs of its query, decoded once. */
export interface Target {
  /** The names between slashes; of a path that begins with one the first is empty. */
  names: string[]
  /** The path as it is signed and sent: each name encoded once, nothing normalised. */
  path: string
  /** The path as it came. */
  rawPath: string
  query: (readonly [string, string])[]
}

const invalid = () => new S3Error('InvalidURI', "Couldn't parse the specified URI.")

function decode(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // not UTF-8, or no percent-encoding
  }
  throw invalid()
}

/** Reads path and query of a request. Throws `InvalidURI`. */
export function readTarget(url: string): Target {
  const at = url.indexOf('?')
  const rawPath = at < 0 ? url : url.slice(0, at)
  if (!rawPath.startsWith('/')) throw invalid()
  const names = rawPath.split('/').map(decode)
  const query = (at < 0 ? '' : url.slice(at + 1))
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', '%20').split('=')
      return [decode(name), decode(value.join('='))] as const
    })
  return { names, path: names.map(encodeStrictly).join('/'), rawPath, query }
}
