import { createHash } from 'node:crypto'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Sql } from '@mainstay/engines/ports/engines'
import { seal, unseal } from './sealing'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** Seconds between a cloud's form post and the next call, which the browser makes automatically. */
export const HAND_OVER_SECONDS = 60

/** Traits of the browser that delivered a token. The code is not valid in any other browser. */
export type BrowserTraits = readonly string[]

/**
 * State of external sign-ins: tokens that a cloud's form posted, which arrive from another site and therefore without
 * our cookies, and requests sent to identity providers. Kept in the database, because the next call may reach another
 * replica.
 */
export interface ExternalSignIns {
  /** Stores a text for this many seconds. Returns a code with which the same browser can retrieve it once. */
  keep(text: Secret, browser: BrowserTraits, seconds: number): Promise<string>
  /**
   * Replaces a code with a new one for the same browser and for the text that `make` returns. For responses that arrive
   * without our cookies, when the browser cannot be verified yet. Returns null if the code is used, expired or unknown.
   * If `make` throws, the code is used up anyway and the error is passed on.
   */
  exchange(code: string, make: (text: Secret) => Promise<Secret>, seconds: number): Promise<string | null>
  /** Uses up a code and returns its text. Returns null if it is used, expired, unknown or from another browser. */
  redeem(code: string, browser: BrowserTraits): Promise<Secret | null>
}

const traitsOf = (browser: BrowserTraits): Buffer => createHash('sha256').update(browser.join('\n')).digest()

const PLACE = 'token of a hand-over'

export function createHandOvers(sql: Sql, now: () => Date = () => new Date()): ExternalSignIns {
  async function insert(text: Secret, browser: Buffer, seconds: number): Promise<string> {
    const code = makeToken()
    await sql.query('delete from hand_over where expires_at < $1', [now()])
    await sql.query('insert into hand_over (hash, browser, token, expires_at) values ($1, $2, $3, $4)', [
      hashToken(code),
      browser,
      seal(text, new Secret(code), PLACE),
      new Date(now().getTime() + seconds * 1000),
    ])
    return code
  }
  async function spend(code: string): Promise<{ browser: Buffer; text: Secret | null } | null> {
    if (!looksLikeToken(code)) return null
    const [row] = await sql.query<{ browser: Buffer; token: Buffer }>(
      'delete from hand_over where hash = $1 and expires_at > $2 returning browser, token',
      [hashToken(code), now()],
    )
    return row ? { browser: row.browser, text: unseal(row.token, new Secret(code), PLACE) } : null
  }
  return {
    keep: (text, browser, seconds) => insert(text, traitsOf(browser), seconds),
    async exchange(code, make, seconds) {
      const spent = await spend(code)
      return spent?.text ? insert(await make(spent.text), spent.browser, seconds) : null
    },
    async redeem(code, browser) {
      const spent = await spend(code)
      return spent?.browser.equals(traitsOf(browser)) ? spent.text : null
    },
  }
}
