import type { Engine } from '../../engine'
import type { InstanceMetrics } from './metrics'
import { reconcile } from './rows'

const tries = 5
const againAfterMs = 500

/**
 * Updates rows when machines change state on their own, and refreshes metrics. Returns a function that stops the
 * updates.
 */
export function watch(engine: Engine, metrics: InstanceMetrics): () => Promise<void> {
  const { hypervisor, log, limits } = engine
  let isClosed = false
  const running = new Set<Promise<void>>()
  const keep = (work: Promise<void>) => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  const follow = async (id: string, reason: string | null) => {
    for (let attempt = 1; !isClosed; attempt++) {
      try {
        return await reconcile(engine, id, reason)
      } catch (error) {
        log.warn({ error, instance: id, attempt }, 'failed to save a state change of a virtual machine')
        if (attempt === tries) return
        await new Promise((resolve) => setTimeout(resolve, againAfterMs).unref())
      }
    }
  }
  const unfollow = hypervisor.onEvent(({ id, reason }) => keep(follow(id, reason)))

  let isLooking = false
  const look = async () => {
    if (isLooking || isClosed) return
    isLooking = true
    try {
      await metrics.refresh()
    } catch (error) {
      if (!isClosed) log.warn({ error }, 'failed to refresh the metrics of virtual machines')
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => keep(look()), limits.figuresMs).unref()

  return async () => {
    isClosed = true
    unfollow()
    clearInterval(timer)
    await Promise.allSettled(running)
  }
}
