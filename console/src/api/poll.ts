import { pollMs } from './live-state'

/** Stop functions of all running polls: a poll that waits for a task can outlive the page that started it. */
const running = new Set<() => void>()

/** Stops all polls; called on sign-out. */
export function stopPolls(): void {
  for (const stop of running) stop()
}

/**
 * Calls `run` immediately and again `everyMs` after each run, until stopped. Continues after a failed run.
 *
 * @param everyMs milliseconds; default 5 s
 * @returns a function that stops polling; a run in progress completes
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
