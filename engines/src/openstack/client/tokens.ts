import type { Log } from '../../ports/records'
import { createCache } from './cache'
import type { Token } from './token-shape'

/** Provides the tokens for requests. */
export interface TokenSource {
  /**
   * Owner of the tokens. If a service account token (`account`) is rejected, the engine is unavailable; if a user token
   * (`caller`) is rejected, the user is signed out.
   */
  readonly of: 'account' | 'caller'
  /** Returns a token that is currently valid. */
  token(): Promise<Token>
  /** Returns a replacement for a token that the cloud rejected, or null if there is none. */
  renew(refused: Token): Promise<Token | null>
}

const longestMarginMs = 300_000
/** Returns how long before its expiry a newly issued token is renewed. */
const marginMs = (token: Token) => Math.min(longestMarginMs, (token.expiresAt.getTime() - Date.now()) / 10)

/**
 * Returns the tokens for a service account, renewed before they expire and after a rejection. Concurrent callers share
 * one renewal. If an early renewal fails, the current token stays in use until it expires.
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
        log.warn({ err: error }, 'failed to renew the token of the service account; the old token is still valid')
        return held.token
      }
    },
    renew: async (refused) => (current && current.token !== refused ? current.token : renewed()),
  }
}

/** Returns a single user token that cannot be renewed. */
export const heldToken = (token: Token): TokenSource => ({
  of: 'caller',
  token: async () => token,
  renew: async () => null,
})
