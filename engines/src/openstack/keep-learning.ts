const LEARN_EVERY_MS = 10 * 60_000
/** Retry interval while a capability is unknown, because no instance is running yet or the cloud is down. */
const TRY_AGAIN_MS = 30_000

export interface Learning {
  start(): void
  stop(): void
}

/** Polls the capabilities of the cloud. `learn` returns whether it found all of them, and never throws. */
export function keepLearning(learn: () => Promise<boolean>): Learning {
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  async function again(): Promise<void> {
    const isDone = await learn()
    if (isStopped) return
    timer = setTimeout(() => void again(), isDone ? LEARN_EVERY_MS : TRY_AGAIN_MS).unref()
  }

  return {
    start: () => void again(),
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}
