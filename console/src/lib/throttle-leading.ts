/** Default window in milliseconds (S1§9). */
const windowMs = 1000

/** Leading-edge throttle: runs at once, then ignores further calls for `forMs` milliseconds. */
export function throttleLeading(run: () => void, forMs = windowMs): () => void {
  let at = -Infinity
  return () => {
    const now = performance.now()
    if (now - at < forMs) return
    at = now
    run()
  }
}
