import { Problem } from '@mainstay/contract/core/problems'

const atOnce = 8

/** What is read for each id, in their order, some at a time; null for what is gone. */
export async function readEach<Found>(
  ids: readonly string[],
  read: (id: string) => Promise<Found>,
): Promise<Map<string, Found | null>> {
  const found = new Map<string, Found | null>()
  const waiting = [...new Set(ids)]
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) found.set(id, await unlessGone(read(id)))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, work))
  return new Map(ids.map((id) => [id, found.get(id) ?? null]))
}

/** What is read, or null where the cloud does not have it. */
export async function unlessGone<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}
