import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Seals } from '../../ports/engine'
import { Secret } from '../../ports/secret'

const key = randomBytes(32)

/** Encrypts like a server, with a key that exists only in this process. */
export const seals: Seals = {
  seal(text, place) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
    return Buffer.concat([nonce, cipher.update(text.reveal(), 'utf8'), cipher.final(), cipher.getAuthTag()])
  },
  unseal(sealed, place) {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(place))
    decipher.setAuthTag(sealed.subarray(-16))
    try {
      return new Secret(Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8'))
    } catch {
      return null
    }
  },
}
