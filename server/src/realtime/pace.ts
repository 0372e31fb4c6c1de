import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longer than this nothing else waits for us. */
const SLICE_MS = 5

/** Lets everything else go on when a piece of work has taken its time: `await pace()` between its steps. */
export function createPace(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return nextTurn().then(() => {
      startedAt = performance.now()
    })
  }
}

/** Does many small works soon and in order, and lets everything else go on in between. */
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
