import type { RunAgain } from '@mainstay/engines/ports/records'

/** Minutes before each retry of a delivery, about two hours in total. */
const pauses = [1, 5, ...Array.from({ length: 12 }, () => 10)]

/** When a failed delivery is tried again. Null after the last attempt. `tried`: number of earlier attempts. */
export function nextAttempt(tried: number): RunAgain | null {
  const minutes = pauses[tried]
  return minutes === undefined ? null : { again: minutes * 60_000, state: { tried: tried + 1 } }
}
