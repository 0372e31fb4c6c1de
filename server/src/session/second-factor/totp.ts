import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/* TOTP codes (RFC 6238) with SHA-1, six digits and 30 s steps, which every authenticator app supports. */

const STEP_SECONDS = 30
const DIGITS = 6
/** Clock skew allowed for phones, in steps. */
const SKEW_STEPS = 1
const SECRET_BYTES = 20
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648) without padding. */
export function base32(bytes: Uint8Array): string {
  let [bits, held, text] = [0, 0, '']
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += letters[(held >> bits) & 31]!
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + letters[(held << (5 - bits)) & 31]! : text
}

export function fromBase32(text: string): Buffer {
  let [bits, held] = [0, 0]
  const bytes: number[] = []
  for (const letter of text) {
    held = (held << 5) | letters.indexOf(letter)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return Buffer.from(bytes)
}

/** A new 160-bit secret in base32. */
export const makeSecret = (): string => base32(randomBytes(SECRET_BYTES))

/** The code for a step. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const stepAt = (time: Date): number => Math.floor(time.getTime() / 1000 / STEP_SECONDS)

/** The step near `now` and later than `after` that the code matches; null if there is none. */
export function stepOf(secret: string, code: string, now: Date, after: number): number | null {
  const given = Buffer.from(code)
  if (given.length !== DIGITS) return null
  const middle = stepAt(now)
  for (let step = middle - SKEW_STEPS; step <= middle + SKEW_STEPS; step += 1)
    if (step > after && timingSafeEqual(Buffer.from(codeAt(secret, step)), given)) return step
  return null
}

/** The URI in the QR code for an authenticator app. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = [issuer, account].map(encodeURIComponent).join(':')
  return `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: String(DIGITS), period: String(STEP_SECONDS) }).toString()}`
}

/** Issuer name that authenticator apps show next to the codes. */
const ISSUER = 'Mainstay'

export interface AppSecret {
  secret: string
  uri: string
}

/** A secret in the form in which it is shown once to its owner. */
export const appSecretOf = (secret: string, user: string, domain: string): AppSecret => ({
  secret,
  uri: totpUri(secret, ISSUER, `${user}@${domain}`),
})
