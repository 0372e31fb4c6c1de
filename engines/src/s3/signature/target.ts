import { S3Error } from '../errors'
import { encodeStrictly } from './canonical'

/** Path and query of a request, decoded once. */
export interface Target {
  /** Path segments. The first one is empty because the path begins with a slash. */
  names: string[]
  /** Path for the signature: each segment encoded once, without normalisation. */
  path: string
  /** Path as received. */
  rawPath: string
  query: (readonly [string, string])[]
}

const invalid = () => new S3Error('InvalidURI', "Couldn't parse the specified URI.")

function decode(text: string): string {
  try {
    const plain = decodeURIComponent(text)
    if (!plain.includes('\0')) return plain
  } catch {
    // the text is not valid UTF-8 or percent-encoding
  }
  throw invalid()
}

/** Parses the URL of a request. Throws `InvalidURI`. */
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
