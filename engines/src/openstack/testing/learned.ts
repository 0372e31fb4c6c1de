import type { Learning } from '../keep-learning'

/** Waits until a service of the cloud is known: `unavailable` is null once it is. */
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
