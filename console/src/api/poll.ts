import { pollMs } from './live-state'

/** Stop functions of the running polls: waiting for a task outlives the page that started it. */
const running = new Set<() => void>()

/** Stops all polls, at sign-out. */
export function stopPolls(): void {
  for (const stop of running) stop()
}

/**
 * Runs at once and again `everyMs` after each completion, until it is stopped. Continues after a failed run.
 *
 * @param everyMs milliseconds; default 5 s
 * @returns stops polling; a run in progress completes
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
