const most = 50_000

/** Memoizes a function of a string. The cache is cleared when it is full. */
export function remembered<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const result = compute(text)
    known.set(text, result)
    return result
  }
}
