/** Lets a few pieces of work run at a time; the others wait their turn, in order. */
export function openTurnstile(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const inTurn = openFairTurnstile(most, most)
  return (work) => inTurn('', work)
}

/**
 * The same, with at most `mostOfOne` of one owner: work of others passes by what waits because its owner has enough
 * running.
 */
export function openFairTurnstile(
  most: number,
  mostOfOne: number,
): <Result>(owner: string, work: () => Promise<Result>) => Promise<Result> {
  const running: string[] = []
  const waiting: { owner: string; begin: () => void }[] = []
  const mayRun = (owner: string) =>
    running.length < most && running.filter((other) => other === owner).length < mostOfOne
  return async (owner, work) => {
    if (mayRun(owner)) running.push(owner)
    else await new Promise<void>((resolve) => waiting.push({ owner, begin: resolve }))
    try {
      return await work()
    } finally {
      running.splice(running.indexOf(owner), 1)
      const next = waiting.findIndex((other) => mayRun(other.owner))
      for (const { owner: freed, begin } of next < 0 ? [] : waiting.splice(next, 1)) {
        // the place is taken before anybody else can come
        running.push(freed)
        begin()
      }
    }
  }
}
