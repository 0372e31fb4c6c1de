import { isIP } from 'node:net'

/** Origin of a request, for the condition keys `aws:SourceIp` and `aws:SecureTransport`. */
export interface S3Source {
  address: string
  isSecure: boolean
}

/**
 * Header with which the server's own proxy forwards the origin of a user's request. It is trusted only if the request
 * is signed with the user's hidden console key, whose secret never leaves the server. Like all `x-amz-` headers, it
 * must be signed.
 */
export const S3_SOURCE_HEADER = 'x-amz-mainstay-source'

export const sourceText = ({ address, isSecure }: S3Source): string => `${isSecure ? 'https' : 'http'} ${address}`

/** Parses the header; null if it is missing or malformed. */
export function readSource(text: string | undefined): S3Source | null {
  const [protocol, address = '', ...more] = (text ?? '').split(' ')
  if ((protocol !== 'http' && protocol !== 'https') || isIP(address) === 0 || more.length > 0) return null
  return { address, isSecure: protocol === 'https' }
}
