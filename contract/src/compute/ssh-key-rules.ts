import { says, type RuleText } from '../core/said'

/** Accepted key types (S2§5): ssh-rsa, ecdsa, ed25519, dss. */
export const sshKeyTypes = ['ssh-rsa', 'ecdsa', 'ed25519', 'dss'] as const
export type SshKeyType = (typeof sshKeyTypes)[number]

const algorithms: Record<string, SshKeyType> = {
  'ssh-rsa': 'ssh-rsa',
  'ssh-ed25519': 'ed25519',
  'ssh-dss': 'dss',
  'ecdsa-sha2-nistp256': 'ecdsa',
  'ecdsa-sha2-nistp384': 'ecdsa',
  'ecdsa-sha2-nistp521': 'ecdsa',
  'sk-ssh-ed25519@openssh.com': 'ed25519',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ecdsa',
}

export type PublicKeyFault = 'empty' | 'private_key' | 'several_lines' | 'unknown_type' | 'malformed'

export interface PublicKey {
  type: SshKeyType
  algorithm: string
  /** The key data in base64. */
  blob: string
  comment: string
  /** The key works but is too weak by current standards: RSA below 2048 bits, or any DSA key. */
  weak: boolean
}

const readLength = (bytes: Uint8Array, at: number): number =>
  at + 4 > bytes.length
    ? -1
    : ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

/** Returns the fields of a key blob (RFC 4253, section 6.6), or null if the lengths do not match the data. */
function blobFields(bytes: Uint8Array): Uint8Array[] | null {
  const fields: Uint8Array[] = []
  let at = 0
  while (at < bytes.length) {
    const length = readLength(bytes, at)
    if (length < 0 || at + 4 + length > bytes.length) return null
    fields.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}

const bitsOf = (integer: Uint8Array): number => {
  const start = integer.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : (integer.length - start) * 8 - Math.clz32(integer[start]!) + 24
}

/** Parses an OpenSSH public key line. Returns the validation error instead of throwing. */
export function parsePublicKey(text: string): PublicKey | PublicKeyFault {
  const line = text.trim()
  if (line === '') return 'empty'
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|^PuTTY-User-Key-File/.test(line)) return 'private_key'
  if (/[\r\n]/.test(line)) return 'several_lines'
  const [algorithm = '', blob = '', ...comment] = line.split(/\s+/)
  const type = algorithms[algorithm]
  if (!type) return 'unknown_type'
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(blob)) return 'malformed'
  let bytes: Uint8Array
  try {
    bytes = Uint8Array.from(atob(blob), (char) => char.charCodeAt(0))
  } catch {
    return 'malformed'
  }
  const fields = blobFields(bytes)
  if (!fields || fields.length < 2 || new TextDecoder().decode(fields[0]) !== algorithm) return 'malformed'
  const weak = type === 'dss' || (type === 'ssh-rsa' && bitsOf(fields[2] ?? new Uint8Array()) < 2048)
  return { type, algorithm, blob, comment: comment.join(' '), weak }
}

/** Message for each validation error. */
export const publicKeyFaultText: Record<PublicKeyFault, RuleText> = {
  empty: says('compute.paste_public_key'),
  private_key: says('compute.key_is_private'),
  several_lines: says('compute.key_several_lines'),
  unknown_type: says('compute.key_type'),
  malformed: says('compute.key_damaged'),
}
