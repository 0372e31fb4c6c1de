import { createHash } from 'node:crypto'

/** Namespace UUID for the names; arbitrary, but fixed. */
const NAMESPACE = Buffer.from('6d61696e737461799e3a5f1c0b7d4e21', 'hex')

/** Derives the UUID (version 5, RFC 9562) of an object from its name, so that it is the same in every installation. */
export function namedId(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** ID of the host that the server runs on. It stays the same when the host is renamed. */
export const thisNodeId = namedId('node-1')
