import { generateKeyPair, randomBytes, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

const RSA_BITS = 3072
/** Block size for padding an unencrypted private part (OpenSSH PROTOCOL.key). */
const BLOCK = 8

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const field = (bytes: Buffer | string): Buffer => {
  const content = Buffer.from(bytes as string)
  return Buffer.concat([u32(content.length), content])
}
/** Encodes a positive integer (mpint, RFC 4251): no leading zeros, except one that keeps the sign bit clear. */
const integer = (base64url: string): Buffer => {
  const bytes = Buffer.from(base64url, 'base64url')
  const start = bytes.findIndex((byte) => byte !== 0)
  const plain = start < 0 ? Buffer.alloc(0) : bytes.subarray(start)
  return field(plain.length > 0 && plain[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), plain]) : plain)
}

interface Parts {
  /** The public key in SSH wire format, starting with the algorithm name. */
  blob: Buffer
  /** The fields of the private part, from the algorithm name up to the comment. */
  secret: Buffer
}

function ed25519(key: KeyObject): Parts {
  const { x = '', d = '' } = key.export({ format: 'jwk' })
  const [open, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const blob = Buffer.concat([field('ssh-ed25519'), field(open)])
  return { blob, secret: Buffer.concat([blob, field(Buffer.concat([seed, open]))]) }
}

function ecdsa(key: KeyObject): Parts {
  const { x = '', y = '', d = '' } = key.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const blob = Buffer.concat([field('ecdsa-sha2-nistp256'), field('nistp256'), field(point)])
  return { blob, secret: Buffer.concat([blob, integer(d)]) }
}

function rsa(key: KeyObject): Parts {
  const { n = '', e = '', d = '', qi = '', p = '', q = '' } = key.export({ format: 'jwk' })
  const blob = Buffer.concat([field('ssh-rsa'), integer(e), integer(n)])
  const secret = Buffer.concat([field('ssh-rsa'), ...[n, e, d, qi, p, q].map(integer)])
  return { blob, secret }
}

const partsOf = async (type: 'ed25519' | 'ssh-rsa' | 'ecdsa'): Promise<Parts> => {
  if (type === 'ed25519') return ed25519((await generate('ed25519')).privateKey)
  if (type === 'ecdsa') return ecdsa((await generate('ec', { namedCurve: 'P-256' })).privateKey)
  return rsa((await generate('rsa', { modulusLength: RSA_BITS })).privateKey)
}

/** Builds an OpenSSH private key file without a passphrase. */
function privateFile({ blob, secret }: Parts, comment: string): string {
  const check = randomBytes(4)
  const body = Buffer.concat([check, check, secret, field(comment)])
  const padding = Buffer.from(Array.from({ length: (BLOCK - (body.length % BLOCK)) % BLOCK }, (_, at) => at + 1))
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    u32(1),
    field(blob),
    field(Buffer.concat([body, padding])),
  ])
  const lines = file.toString('base64').match(/.{1,70}/g)!
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

/** Generates a key pair. Returns the public key as one line and the private key in OpenSSH file format. */
export async function makeKeyPair(
  type: 'ed25519' | 'ssh-rsa' | 'ecdsa',
  comment: string,
): Promise<{ publicKey: string; privateKey: string }> {
  const parts = await partsOf(type)
  const algorithm = { ed25519: 'ssh-ed25519', 'ssh-rsa': 'ssh-rsa', ecdsa: 'ecdsa-sha2-nistp256' }[type]
  return {
    publicKey: `${algorithm} ${parts.blob.toString('base64')} ${comment}`,
    privateKey: privateFile(parts, comment),
  }
}
