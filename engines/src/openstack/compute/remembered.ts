/** Reads at most once in this time. Concurrent callers share one read; a failed read is not remembered. */
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
