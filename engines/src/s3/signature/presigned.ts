import { asHeader } from './as-header'
import type { SignedRequest } from './canonical'

/* Headers that clients put into the query of an address that they sign for somebody else. */

/** What belongs to the signature itself. */
const ofSignature = new Set([
  ...['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-expires', 'x-amz-signedheaders', 'x-amz-signature'],
  ...['x-amz-content-sha256', 'x-amz-security-token'],
])
const plain = new Set(['content-md5', 'content-type'])

/** The headers of a request whose query is signed, with those that stand in the query. What came as a header counts. */
export function withPresigned({ query, headers }: Pick<SignedRequest, 'query' | 'headers'>): SignedRequest['headers'] {
  const found = query
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => (name.startsWith('x-amz-') && !ofSignature.has(name)) || plain.has(name))
  return { ...Object.fromEntries(found.map(([name, value]) => asHeader(name, value))), ...headers }
}
