import { setImmediate as nextTurn } from 'node:timers/promises'

/** Maximum time in milliseconds that other work has to wait. */
const SLICE_MS = 5

/** Yields to other work when a time slice is used up. Call `await pace()` between steps. */
export function createPace(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return nextTurn().then(() => {
      startedAt = performance.now()
    })
  }
}

/** Runs many small tasks soon and in order, and yields to other work in between. */
export function createSlices(): (work: () => void) => void {
  let waiting: (() => void)[] = []
  let isPlanned = false

  function run(): void {
    const startedAt = performance.now()
    let done = 0
    while (done < waiting.length && performance.now() - startedAt < SLICE_MS) waiting[done++]!()
    waiting = waiting.slice(done)
    isPlanned = waiting.length > 0
    if (isPlanned) setImmediate(run)
  }
  return (work) => {
    waiting.push(work)
    if (isPlanned) return
    isPlanned = true
    setImmediate(run)
  }
}
