import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Secret } from '@mainstay/engines/ports/secret'

/*
 * A sealed text can be opened only with its data key: 32 random bytes that are not stored in the database. Layout:
 * version (1 byte) · salt (16) · nonce (12) · ciphertext · tag (16), AES-256-GCM with a key from HKDF-SHA256.
 */
const FORM = 1
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + SALT_BYTES + NONCE_BYTES

/** Creates a data key. */
export const createDataKey = (): Secret => new Secret(randomBytes(32).toString('base64url'))

// the random salt gives each sealed text its own key, so that a key is never used twice with the same nonce
const keyFrom = (dataKey: Secret, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', dataKey.reveal(), salt, 'mainstay sealed text', 32))

/** Seals a text. `place` identifies its location and purpose; the text cannot be opened for any other. */
export function seal(text: Secret, dataKey: Secret, place: string): Buffer {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv('aes-256-gcm', keyFrom(dataKey, salt), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text.reveal(), 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(FORM), salt, nonce, sealed, cipher.getAuthTag()])
}

/** Opens a sealed text; null if the key or the place is wrong or the data has been modified. */
export function unseal(sealed: Buffer, dataKey: Secret, place: string): Secret | null {
  if (sealed[0] !== FORM || sealed.length < HEAD_BYTES + TAG_BYTES) return null
  const salt = sealed.subarray(1, 1 + SALT_BYTES)
  const nonce = sealed.subarray(1 + SALT_BYTES, HEAD_BYTES)
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(dataKey, salt), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(end))
  try {
    return new Secret(Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, end)), decipher.final()]).toString())
  } catch {
    return null
  }
}
