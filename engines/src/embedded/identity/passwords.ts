import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

/** Work of one guess: 2^15 blocks of 8·128 bytes, three times over (OWASP's list); 32 MiB and some 0.3 s. */
export interface PasswordCost {
  logN: number
  r: number
  p: number
}
export const passwordCost: PasswordCost = { logN: 15, r: 8, p: 3 }

const KEY_BYTES = 32
// Files and name look-ups share the four threads that scrypt runs in, so it never gets all of them.
const inTurn = pLimit(2)

const derive = (password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> =>
  inTurn(
    () =>
      new Promise((resolve, reject) => {
        const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
        scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
          error ? reject(error) : resolve(key),
        )
      }),
  )

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** The password as it is kept, in PHC form: `$scrypt$ln=15,r=8,p=3$salt$key`. */
export async function hashPassword(password: string, cost: PasswordCost = passwordCost): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(key)}`
}

/** Whether this is the password that was hashed. A text that is no hash matches nothing, after no work. */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  const found = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(kept)
  if (!found) return false
  const [logN, r, p] = found.slice(1, 4).map(Number) as [number, number, number]
  const expected = Buffer.from(found[5]!, 'base64')
  const key = await derive(password, Buffer.from(found[4]!, 'base64'), { logN, r, p })
  return key.length === expected.length && timingSafeEqual(key, expected)
}

/** A password to be read off a screen and typed: 20 letters and digits, none of which look alike; some 114 bits. */
export function makePassword(): string {
  let made = draw()
  // one in twenty has no digit, which the rules of passwords ask for
  while (!/\d/.test(made)) made = draw()
  return made.replace(/(.{5})(?=.)/g, '$1-')
}

function draw(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  let made = ''
  while (made.length < 20) {
    for (const byte of randomBytes(32)) {
      // a remainder over an uneven range would favour the first letters
      if (byte < 4 * letters.length && made.length < 20) made += letters[byte % letters.length]!
    }
  }
  return made
}
