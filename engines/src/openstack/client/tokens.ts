import type { Log } from '../../ports/records'
import { createCache } from './cache'
import type { Token } from './token-shape'

/** Where the tokens of calls come from. */
export interface TokenSource {
  /**
   * Whose they are. A token of ours (`account`) that is refused is an outage of the engine; one of who asks (`caller`)
   * ends their sign-in.
   */
  readonly of: 'account' | 'caller'
  /** A token that is good for now. */
  token(): Promise<Token>
  /** Another one for a token that the cloud refused; null where there is none. */
  renew(refused: Token): Promise<Token | null>
}

const longestMarginMs = 300_000
/** How long before its end a new token is renewed. */
const marginMs = (token: Token) => Math.min(longestMarginMs, (token.expiresAt.getTime() - Date.now()) / 10)

/**
 * Tokens of an account of ours: renewed before they expire and when one is refused, once for all who wait. While a
 * renewal in time fails, the token that still holds is used on.
 */
export function accountTokens(issue: () => Promise<Token>, log: Log): TokenSource {
  let current: { token: Token; renewAt: number } | null = null
  const issues = createCache<Token>(1, () => 0)
  const renewed = () =>
    issues.get('', async () => {
      const token = await issue()
      current = { token, renewAt: token.expiresAt.getTime() - marginMs(token) }
      return token
    })

  return {
    of: 'account',
    async token() {
      const held = current
      if (held && Date.now() < held.renewAt) return held.token
      try {
        return await renewed()
      } catch (error) {
        if (!held || Date.now() >= held.token.expiresAt.getTime()) throw error
        log.warn({ err: error }, 'the token of the service account could not be renewed yet; the old one still holds')
        return held.token
      }
    },
    renew: async (refused) => (current && current.token !== refused ? current.token : renewed()),
  }
}

/** One token of who asks, without another behind it. */
export const heldToken = (token: Token): TokenSource => ({
  of: 'caller',
  token: async () => token,
  renew: async () => null,
})
