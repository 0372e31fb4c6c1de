/** Abort reason for a call that exceeded its deadline. */
export class DeadlinePassed extends Error {
  readonly afterMs: number
  constructor(afterMs: number) {
    super(`No response within ${afterMs} ms`)
    this.name = 'DeadlinePassed'
    this.afterMs = afterMs
  }
}

export interface Deadline {
  /** Aborts when the time is up (with `DeadlinePassed`) or when the caller aborts (with the caller's reason). */
  signal: AbortSignal
  leftMs(): number
  /** Waits for shared work until the deadline, without cancelling the work for other callers. */
  race<Result>(shared: Promise<Result>): Promise<Result>
  sleep(ms: number): Promise<void>
  /** Removes the time limit, for transfers of unknown duration. The caller and `stop` can still abort. */
  lift(): void
  /** Aborts immediately with this reason. */
  stop(reason: Error): void
  /** Releases the timer and the listener. Call it when the work is done. */
  end(): void
}

/**
 * Starts the time limit for a whole call: getting tokens, all attempts, the pauses between them, and reading the
 * response to its last byte.
 */
export function startDeadline(ms: number, caller?: AbortSignal): Deadline {
  const endsAt = performance.now() + ms
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DeadlinePassed(ms)), ms)
  const giveUp = () => controller.abort(caller?.reason)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })

  const { signal } = controller
  const fired = () =>
    new Promise<never>((_, reject) => {
      const fail = () => reject(signal.reason as Error)
      if (signal.aborted) fail()
      else signal.addEventListener('abort', fail, { once: true })
    })
  return {
    signal,
    leftMs: () => Math.max(0, endsAt - performance.now()),
    race: (shared) => Promise.race([shared, fired()]),
    sleep: (pauseMs) => {
      let pause: NodeJS.Timeout
      const slept = new Promise<void>((resolve) => {
        pause = setTimeout(resolve, pauseMs)
      })
      return Promise.race([slept, fired()]).finally(() => clearTimeout(pause))
    },
    lift: () => clearTimeout(timer),
    stop: (reason) => controller.abort(reason),
    end: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
    },
  }
}
