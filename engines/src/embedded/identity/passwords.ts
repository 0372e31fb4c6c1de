import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/** Cost of one guess: memory in KiB, and the number of passes over it. */
export interface PasswordCost {
  memoryKiB: number
  passes: number
}
/**
 * RFC 9106, section 4, low-memory option, but with a single lane, because many users sign in concurrently. About 0.06
 * s.
 */
export const passwordCost: PasswordCost = { memoryKiB: 64 * 1024, passes: 3 }

// The libuv pool has four threads, which file access and DNS lookups also use. This leaves two for them.
const inTurn = pLimit(2)

const plain = (password: string): string => password.normalize('NFC')

/** Hashes a password in PHC format: `$argon2id$v=19$m=65536,t=3,p=1$salt$key`. */
export const hashPassword = (
  password: string,
  { memoryKiB: memoryCost, passes: timeCost }: PasswordCost = passwordCost,
): Promise<string> => inTurn(() => hash(plain(password), { memoryCost, timeCost, parallelism: 1 }))

/** Whether the password matches the hash. Returns false immediately if the format of the hash is unknown. */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  if (kept.startsWith('$scrypt$')) return matchesScrypt(password, kept)
  if (!kept.startsWith('$argon2id$')) return false
  return inTurn(() => verify(kept, plain(password))).catch(() => false)
}

/**
 * Hashes from earlier releases are kept until the password changes, because servers running those releases cannot read
 * another format.
 */
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

/** Generates a password that is easy to read and type: 20 letters and digits without look-alikes, about 114 bits. */
export function makePassword(): string {
  let made = draw()
  // about one in twenty has no digit, but the password rules require one
  while (!/\d/.test(made)) made = draw()
  return made.replace(/(.{5})(?=.)/g, '$1-')
}

function draw(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  let made = ''
  while (made.length < 20) {
    for (const byte of randomBytes(32)) {
      // skip bytes beyond a multiple of the alphabet size, because the remainder would favor the first letters
      if (byte < 4 * letters.length && made.length < 20) made += letters[byte % letters.length]!
    }
  }
  return made
}
