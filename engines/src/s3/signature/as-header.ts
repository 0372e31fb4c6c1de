import { S3Error } from '../errors'

/**
 * A pair of a query or a form as a header: its name, and its value as the bytes of UTF-8, which Node has as latin1. Throws
 * `InvalidArgument` for what no header can carry.
 */
export function asHeader(name: string, value: string): [string, string] {
  // oxlint-disable-next-line no-control-regex -- those are meant
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,256}$/.test(name) || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    throw new S3Error('InvalidArgument', `${name.slice(0, 256)} cannot be sent as a header`)
  return [name, Buffer.from(value, 'utf8').toString('latin1')]
}
