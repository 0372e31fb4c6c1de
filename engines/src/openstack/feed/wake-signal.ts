/** Wakes a waiting loop after a timeout, or immediately when it is notified. */
export interface WakeSignal {
  notify(): void
  /** Resolves after this time, or earlier on a notification since the last wait or when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isRung = false
  let wake: (() => void) | null = null
  return {
    notify() {
      isRung = true
      wake?.()
    },
    async wait(milliseconds, signal) {
      if (!isRung && !signal.aborted && milliseconds > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        }).finally(() => {
          if (wake) signal.removeEventListener('abort', wake)
          wake = null
        })
      }
      isRung = false
    },
  }
}
