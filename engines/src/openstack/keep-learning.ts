const LEARN_EVERY_MS = 10 * 60_000
/** While something could not be learned: nothing runs yet, or the cloud is away. */
const TRY_AGAIN_MS = 30_000

export interface Learning {
  start(): void
  stop(): void
}

/** Asks the cloud now and then what it can do. `learn` answers whether it told all of it, and never throws. */
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
