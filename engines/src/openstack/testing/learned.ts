import type { Learning } from '../keep-learning'

/** Waits until the engine has discovered a cloud service, which sets `unavailable` to null. */
export async function waitUntilKnown(learning: Learning, service: { unavailable: string | null }): Promise<void> {
  learning.start()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (service.unavailable !== null) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  learning.stop()
}
