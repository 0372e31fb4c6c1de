import { pollMs } from './live-state'

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
  void turn()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
