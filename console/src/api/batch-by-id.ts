/** Batching window. All rows on a page render within this time, so their lookups share one request. */
const togetherMs = 20
const mostAtOnce = 100

interface Waiting<Item> {
  resolve: (item: Item | null) => void
  reject: (thrown: unknown) => void
}

/**
 * Batches lookups by ID: lookups made within 20 ms are sent together, in calls of up to 100 IDs each. Resolves with
 * null for an ID that is missing from the response.
 */
export function batchById<Item extends { id: string }>(ask: (ids: string[]) => Promise<readonly Item[]>) {
  let waiting = new Map<string, Waiting<Item>[]>()
  async function askAll() {
    const asked = [...waiting]
    waiting = new Map()
    for (let at = 0; at < asked.length; at += mostAtOnce) {
      const some = asked.slice(at, at + mostAtOnce)
      try {
        const items = await ask(some.map(([id]) => id))
        for (const [id, callers] of some)
          for (const { resolve } of callers) resolve(items.find((item) => item.id === id) ?? null)
      } catch (thrown) {
        for (const [, callers] of some) for (const { reject } of callers) reject(thrown)
      }
    }
  }
  return (id: string) =>
    new Promise<Item | null>((resolve, reject) => {
      if (waiting.size === 0) setTimeout(() => void askAll(), togetherMs)
      waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }])
    })
}
