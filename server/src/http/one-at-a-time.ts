/** Runs works of the same key one after the other, and at most `most` works at once. */
export function oneAtATime(most: number): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(() => inTurn(work))
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, settled)
    try {
      return await mine
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
