import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type {
  CreationOptions,
  MadeCredential,
  RequestOptions,
  UsedCredential,
} from '@mainstay/contract/identity/passkeys'

/*
 * An authenticator without a browser. It responds as it would to a page on `origin`; each part of the response can be
 * made invalid.
 */

type Cbor = number | string | Buffer | readonly (readonly [Cbor, Cbor])[]

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  if (value < 256) return Buffer.of((major << 5) | 24, value)
  return Buffer.of((major << 5) | 25, value >> 8, value & 255)
}
/** Encodes numbers, strings, byte strings and maps of them as CBOR (RFC 8949). */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, of]) => [cbor(key), cbor(of)])])
}

const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()

/** Parts of a response that can be made invalid. */
interface Lies {
  origin?: string
  host?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  isVerified?: boolean
  /** Format and statement of the attestation. */
  attestation?: readonly [string, Cbor]
  /** Replaces the COSE encoding of the key. */
  publicKey?: Cbor
}

/** An ES256 passkey for pages on `origin`. */
export class Authenticator {
  readonly origin: string
  private readonly isCounting: boolean
  readonly credentialId: Buffer
  readonly key: KeyObject
  counter = 0
  userHandle = ''
  private readonly cose: Cbor

  constructor(origin: string, isCounting = true) {
    this.origin = origin
    this.isCounting = isCounting
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.credentialId = randomBytes(32)
    this.key = privateKey
    this.cose = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]
  }

  get id(): string {
    return this.credentialId.toString('base64url')
  }

  private clientData(type: string, challenge: string, lies: Lies): Buffer {
    const { origin = this.origin, crossOrigin = false } = lies
    return Buffer.from(
      JSON.stringify({ type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin, crossOrigin }),
    )
  }
  private data({ host = new URL(this.origin).hostname, isVerified = true }: Lies, credential?: Buffer): Buffer {
    if (this.isCounting) this.counter += 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (credential ? 0x40 : 0)
    return Buffer.concat([sha256(host), Buffer.of(flags), counter, ...(credential ? [credential] : [])])
  }

  create({ challenge, rp, user }: CreationOptions, lies: Lies = {}): MadeCredential {
    this.userHandle = user.id
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const key = cbor(lies.publicKey ?? this.cose)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, key])
    const [format, statement] = lies.attestation ?? ['none', []]
    const attestation = cbor([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', this.data({ host: rp.id, ...lies }, credential)],
    ])
    return {
      id: this.id,
      response: {
        clientDataJSON: this.clientData('webauthn.create', challenge, lies).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  use({ challenge, rpId }: RequestOptions, lies: Lies = {}): UsedCredential {
    const clientData = this.clientData('webauthn.get', challenge, lies)
    const data = this.data({ host: rpId, ...lies })
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.key)
    return {
      id: this.id,
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: this.userHandle,
      },
    }
  }
}
