/** Letters and digits that nobody takes for one another when they are read out or typed. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 40

/** A random pre-shared key of 40 letters and digits, some 230 bits. */
export function randomPsk(): string {
  // numbers over the last whole multiple are drawn again: every letter is as likely as the others
  const limit = 256 - (256 % LETTERS.length)
  let key = ''
  while (key.length < LENGTH)
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < limit && key.length < LENGTH) key += LETTERS[byte % LETTERS.length]
  return key
}
