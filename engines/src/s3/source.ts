import { isIP } from 'node:net'

/** Where a request comes from, as `aws:SourceIp` and `aws:SecureTransport` of a policy ask for it. */
export interface S3Source {
  address: string
  isSecure: boolean
}

/**
 * With this header the server's own proxy says from where the person calls whose request it sends on. It counts only where the
 * request is signed with the console's hidden key of that person, whose secret nobody outside the server has. Like every header
 * of its prefix it has to be signed.
 */
export const S3_SOURCE_HEADER = 'x-amz-mainstay-source'

export const sourceText = ({ address, isSecure }: S3Source): string => `${isSecure ? 'https' : 'http'} ${address}`

/** What such a header says; null where it says nothing that can be read. */
export function readSource(text: string | undefined): S3Source | null {
  const [protocol, address = '', ...more] = (text ?? '').split(' ')
  if ((protocol !== 'http' && protocol !== 'https') || isIP(address) === 0 || more.length > 0) return null
  return { address, isSecure: protocol === 'https' }
}
