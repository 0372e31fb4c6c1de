import { generateKeyPairSync, type KeyObject } from 'node:crypto'

const MOST = 6

const made: KeyObject[] = []
let asked = 0

/**
 * Returns an RSA key of 2048 bits that differs from those of the last five calls. Each process generates at most six,
 * because each takes a third of a second.
 */
export function rsaKey(): KeyObject {
  const place = asked++ % MOST
  return (made[place] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
}
