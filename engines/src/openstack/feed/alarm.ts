/** Something that wakes one who waits, by itself or because somebody rings. */
export interface Alarm {
  ring(): void
  /** Resolves after so many milliseconds, at once when it was rung meanwhile, or when the signal fires. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export function createAlarm(): Alarm {
  let isRung = false
  let wake: (() => void) | null = null
  return {
    ring() {
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
