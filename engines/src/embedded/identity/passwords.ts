import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/** Work of one guess: so much memory, in KiB, gone over so many times. */
export interface PasswordCost {
  memoryKiB: number
  passes: number
}
/** RFC 9106, section 4, for a machine with little memory; one lane, as many people sign in at once. Some 0.06 s. */
export const passwordCost: PasswordCost = { memoryKiB: 64 * 1024, passes: 3 }

// Files and name look-ups share the four threads in which passwords are looked at, so these never get all of them.
const inTurn = pLimit(2)

const plain = (password: string): string => password.normalize('NFC')

/** The password as it is kept, in PHC form: `$argon2id$v=19$m=65536,t=3,p=1$salt$key`. */
export const hashPassword = (
  password: string,
  { memoryKiB: memoryCost, passes: timeCost }: PasswordCost = passwordCost,
): Promise<string> => inTurn(() => hash(plain(password), { memoryCost, timeCost, parallelism: 1 }))

/** Whether this is the password that was hashed. A text that is no hash matches nothing, after no work. */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  if (kept.startsWith('$scrypt$')) return matchesScrypt(password, kept)
  if (!kept.startsWith('$argon2id$')) return false
  return inTurn(() => verify(kept, plain(password))).catch(() => false)
}

/** Passwords of earlier releases stay as they are until they are changed: servers of such a release know no other form. */
async function matchesScrypt(password: string, kept: string): Promise<boolean> {
  const found = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(kept)
  if (!found) return false
  const [logN, r, p] = found.slice(1, 4).map(Number) as [number, number, number]
  const expected = Buffer.from(found[5]!, 'base64')
  const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
  const key = await inTurn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(plain(password), Buffer.from(found[4]!, 'base64'), expected.length, options, (error, made) =>
          error ? reject(error) : resolve(made),
        )
      }),
  )
  return timingSafeEqual(key, expected)
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
