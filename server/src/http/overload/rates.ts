import { problem } from '@mainstay/contract/core/problems'
import type { Rate } from '../../limits'

/** Keys that are remembered; beyond, those that have been quiet for longest are forgotten, whose buckets are fullest. */
const MAX_KEYS = 50_000

export interface Rates {
  /** Takes one from the key's bucket. Answers 0, or in how many seconds there is one again; then nothing is taken. */
  take(key: string): number
}

/** A token bucket for each key, in this server's memory. */
export function createRates({ burst, perSecond }: Rate, now: () => number = () => performance.now()): Rates {
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    take(key) {
      const at = now()
      const known = buckets.get(key)
      const left = known ? Math.min(burst, known.left + ((at - known.at) / 1000) * perSecond) : burst
      // set anew, so that the map's order is that of their last use
      buckets.delete(key)
      buckets.set(key, { left: left >= 1 ? left - 1 : left, at })
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value!)
      return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond))
    },
  }
}

/** Which requests are counted together; the message says it. */
type Counted = 'address' | 'token' | 'providers' | 'responses' | 'links' | 'rsa' | 'report' | 'directory' | 'mail'

/** Throws `too_many_requests`, with the time to wait, where the key's bucket is empty. */
export function takeOne(rates: Rates, key: string, whose: Counted): void {
  const seconds = rates.take(key)
  if (seconds > 0) throw problem('core.too_many_requests', { whose, seconds }, { data: { retry_after: seconds } })
}
