/**
 * Returns a function that calls `read` at most once within this time. Concurrent callers share one read; a failed read
 * is not cached.
 */
export function remembered<Result>(forMs: number, read: () => Promise<Result>): () => Promise<Result> {
  let known: { result: Promise<Result>; until: number } | null = null
  return () => {
    if (!known || Date.now() > known.until) {
      const result = read()
      known = { result, until: Date.now() + forMs }
      result.catch(() => (known = null))
    }
    return known.result
  }
}
