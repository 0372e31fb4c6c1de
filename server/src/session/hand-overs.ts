import { createHash } from 'node:crypto'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Sql } from '@mainstay/engines/ports/engines'
import { seal, unseal } from './sealing'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** From the cloud's form to the call that follows it: the browser goes on by itself. */
const HAND_OVER_SECONDS = 60

/** By what the browser that brought a token is known again; a code is worth nothing in another one. */
export interface Browser {
  address: string
  user_agent: string
}

/**
 * Tokens that a form of the cloud's has brought. That form comes from another site, so without our cookies: whether this
 * browser has asked for it shows only at its next call, which brings the code. Kept in the database, since that call may
 * reach another replica.
 */
export interface HandOvers {
  /** Keeps a token for a moment; the code opens it once, in the same browser. */
  keep(token: Secret, browser: Browser): Promise<string>
  /** Null for a code that is spent, too old, made up or another browser's. It is spent by this. */
  redeem(code: string, browser: Browser): Promise<Secret | null>
}

const traitsOf = ({ address, user_agent }: Browser): Buffer =>
  createHash('sha256').update(`${address}\n${user_agent}`).digest()

const PLACE = 'token of a hand-over'

export function createHandOvers(sql: Sql, now: () => Date = () => new Date()): HandOvers {
  return {
    async keep(token, browser) {
      const code = makeToken()
      await sql.query('delete from hand_over where expires_at < $1', [now()])
      await sql.query('insert into hand_over (hash, browser, token, expires_at) values ($1, $2, $3, $4)', [
        hashToken(code),
        traitsOf(browser),
        seal(token, new Secret(code), PLACE),
        new Date(now().getTime() + HAND_OVER_SECONDS * 1000),
      ])
      return code
    },
    async redeem(code, browser) {
      if (!looksLikeToken(code)) return null
      const [row] = await sql.query<{ browser: Buffer; token: Buffer }>(
        'delete from hand_over where hash = $1 and expires_at > $2 returning browser, token',
        [hashToken(code), now()],
      )
      return row?.browser.equals(traitsOf(browser)) ? unseal(row.token, new Secret(code), PLACE) : null
    },
  }
}
