import { asHeader } from './as-header'
import type { SignedRequest } from './canonical'

/* Headers in the query of a presigned URL. */

/** Query parameters that belong to the signature itself. */
const ofSignature = new Set([
  ...['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-expires', 'x-amz-signedheaders', 'x-amz-signature'],
  ...['x-amz-content-sha256', 'x-amz-security-token'],
])
const plain = new Set(['content-md5', 'content-type'])

/** Returns the headers of a presigned request, including those in its query. Actual headers take precedence. */
export function withPresigned({ query, headers }: Pick<SignedRequest, 'query' | 'headers'>): SignedRequest['headers'] {
  const found = query
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => (name.startsWith('x-amz-') && !ofSignature.has(name)) || plain.has(name))
  return { ...Object.fromEntries(found.map(([name, value]) => asHeader(name, value))), ...headers }
}
