import { S3Error } from '../errors'

/**
 * Converts a query or form parameter to a header. The value becomes UTF-8 bytes in a latin1 string, as in Node's
 * headers. Throws `InvalidArgument` if the result is not a valid header.
 */
export function asHeader(name: string, value: string): [string, string] {
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,256}$/.test(name) || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    throw new S3Error('InvalidArgument', `${name.slice(0, 256)} cannot be sent as a header`)
  return [name, Buffer.from(value, 'utf8').toString('latin1')]
}
