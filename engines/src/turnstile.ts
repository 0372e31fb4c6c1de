/** Lets a few pieces of work run at a time; the others wait their turn, in order. */
export function openTurnstile(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let inside = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else inside++
    try {
      return await work()
    } finally {
      // the place goes to the next one, or is free
      const next = waiting.shift()
      if (next) next()
      else inside--
    }
  }
}
