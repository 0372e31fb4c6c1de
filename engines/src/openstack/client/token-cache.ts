import { createHash } from 'node:crypto'
import type { Token } from './token-shape'

export interface TokenCache {
  /** The token kept under these words, or the one that `issue` brings; many who ask at once share one issue. */
  get(words: readonly string[], issue: () => Promise<Token>): Promise<Token>
  /** Forgets a token that was refused, unless another one has taken its place. */
  drop(words: readonly string[], refused: Token): void
}

/** Only hashes are kept of the words: they hold tokens. */
const keyOf = (words: readonly string[]) => createHash('sha256').update(JSON.stringify(words)).digest('base64')

const isFresh = (token: Token | null, leftMs: number) =>
  token === null || token.expiresAt.getTime() - Date.now() > leftMs

/** Tokens by who asked for them and for where. The one that was not asked for longest makes room. */
export function createTokenCache(most: number, leftMs: number): TokenCache {
  const kept = new Map<string, { issuing: Promise<Token>; token: Token | null }>()
  return {
    get(words, issue) {
      const key = keyOf(words)
      const known = kept.get(key)
      kept.delete(key)
      if (known && isFresh(known.token, leftMs)) {
        kept.set(key, known)
        return known.issuing
      }
      const entry = { issuing: issue(), token: null as Token | null }
      kept.set(key, entry)
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break
        kept.delete(oldest)
      }
      entry.issuing.then(
        (token) => {
          entry.token = token
        },
        () => {
          if (kept.get(key) === entry) kept.delete(key)
        },
      )
      return entry.issuing
    },
    drop(words, refused) {
      const key = keyOf(words)
      if (kept.get(key)?.token === refused) kept.delete(key)
    },
  }
}
