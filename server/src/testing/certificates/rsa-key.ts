import { generateKeyPairSync, type KeyObject } from 'node:crypto'

const MOST = 6

const made: KeyObject[] = []
let asked = 0

/**
 * Returns a 2048-bit RSA key that differs from the keys returned by the last five calls. Each process generates at most
 * six keys, because each of them takes a third of a second.
 */
export function rsaKey(): KeyObject {
  const place = asked++ % MOST
  return (made[place] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
}
