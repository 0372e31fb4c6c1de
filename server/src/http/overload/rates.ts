import { problem } from '@mainstay/contract/core/problems'
import type { Rate } from '../../limits'

/** Maximum number of keys. Beyond it, the least recently used key is dropped, since its bucket is the fullest. */
const MAX_KEYS = 50_000

export interface Rates {
  /** Takes one token from the key's bucket. Returns 0, or, if the bucket is empty, the seconds until the next token. */
  take(key: string): number
}

/** Creates in-memory token buckets, one per key. */
export function createRates({ burst, perSecond }: Rate, now: () => number = () => performance.now()): Rates {
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    take(key) {
      const at = now()
      const known = buckets.get(key)
      const left = known ? Math.min(burst, known.left + ((at - known.at) / 1000) * perSecond) : burst
      // insert again, so that the map is ordered by last use
      buckets.delete(key)
      buckets.set(key, { left: left >= 1 ? left - 1 : left, at })
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value!)
      return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond))
    },
  }
}

/** The subject of a rate limit; appears in the error message. */
type Counted =
  | 'address'
  | 'token'
  | 'providers'
  | 'responses'
  | 'links'
  | 'rsa'
  | 'report'
  | 'directory'
  | 'mail'
  | 'trap'

/** Takes a token. Throws a `too_many_requests` error with the time to wait if the key's bucket is empty. */
export function takeOne(rates: Rates, key: string, whose: Counted): void {
  const seconds = rates.take(key)
  if (seconds > 0) throw problem('core.too_many_requests', { whose, seconds }, { data: { retry_after: seconds } })
}
