/** Why a call was given up: its time was over. */
export class DeadlinePassed extends Error {
  readonly afterMs: number
  constructor(afterMs: number) {
    super(`There was no answer within ${afterMs} ms`)
    this.name = 'DeadlinePassed'
    this.afterMs = afterMs
  }
}

export interface Deadline {
  /** Fires when time is up (with `DeadlinePassed`) or when the caller gives up (with the caller's reason). */
  signal: AbortSignal
  leftMs(): number
  /** What is shared with others goes on; this caller waits for it no longer than it may. */
  race<Result>(shared: Promise<Result>): Promise<Result>
  sleep(ms: number): Promise<void>
  /** From now on only the caller ends it, and who holds it: for transfers, which take as long as they go on. */
  lift(): void
  /** Ends it at once, for this reason. */
  stop(reason: Error): void
  /** To be called when the work is over, or the timer and the listener stay. */
  end(): void
}

/** A time within which everything of one call must be over: tokens, attempts, pauses, the last byte of the answer. */
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
