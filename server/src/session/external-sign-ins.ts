import { createHash } from 'node:crypto'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Sql } from '@mainstay/engines/ports/engines'
import { seal, unseal } from './sealing'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** From a cloud's form to the call that follows it, seconds: the browser goes on by itself. */
export const HAND_OVER_SECONDS = 60

/** By what the browser that brought a token is known again; a code is worth nothing in another one. */
export type BrowserTraits = readonly string[]

/**
 * What a sign-in elsewhere has to come back to: tokens that a form of a cloud's has brought, which comes from another site and so
 * without our cookies, and what was asked of a provider. Kept in the database, since the next call may reach another replica.
 */
export interface ExternalSignIns {
  /** Keeps a text for so long; the code opens it once, in the same browser. */
  keep(text: Secret, browser: BrowserTraits, seconds: number): Promise<string>
  /**
   * Spends a code for another one, which the same browser opens, with what `make` makes of its text: for an answer that comes without
   * our cookies, so that nobody can say yet which browser has brought it. Null for a code that is spent, too old or made up. What
   * `make` throws is thrown; the code is spent then as well.
   */
  exchange(code: string, make: (text: Secret) => Promise<Secret>, seconds: number): Promise<string | null>
  /** Null for a code that is spent, too old, made up or another browser's. It is spent by this. */
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
