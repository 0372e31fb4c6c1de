import { pollMs } from './live-state'

/** What stops those that have not been stopped: a wait for a task outlives the page that began it. */
const running = new Set<() => void>()

/** Stops all of them: nobody is signed in any more. */
export function stopPolls(): void {
  for (const stop of running) stop()
}

/**
 * Runs at once, and again so long after each completion, until it is stopped. A run that fails is followed by the next.
 *
 * @param everyMs milliseconds; 5 s where left out
 * @returns what stops it; a run that is under way ends, and none follows
 */
export function poll(run: () => Promise<unknown>, everyMs: number = pollMs): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const turn = async () => {
    await run().catch(() => {})
    if (!isStopped) timer = setTimeout(() => void turn(), everyMs)
  }
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    running.delete(stop)
  }
  running.add(stop)
  void turn()
  return stop
}
