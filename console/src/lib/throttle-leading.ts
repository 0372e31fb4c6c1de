/** How long the first of several wishes counts for all, milliseconds, unless it is said (S1§9). */
const windowMs = 1000

/** Does something at once, and nothing of what is wished again within the window. */
export function throttle(run: () => void, forMs = windowMs): () => void {
  let at = -Infinity
  return () => {
    const now = performance.now()
    if (now - at < forMs) return
    at = now
    run()
  }
}
