/** Letters and digits, excluding characters that are easily confused. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 40

/** A random pre-shared key of 40 letters and digits, about 230 bits. */
export function randomPsk(): string {
  // rejection sampling: skip bytes above the last whole multiple, so that all characters are equally likely
  const limit = 256 - (256 % LETTERS.length)
  let key = ''
  while (key.length < LENGTH)
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < limit && key.length < LENGTH) key += LETTERS[byte % LETTERS.length]
  return key
}
