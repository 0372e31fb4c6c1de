import pLimit, { type LimitFunction } from 'p-limit'

/**
 * Runs at most `most` tasks at a time, and at most `mostOfOne` per owner. Other tasks are queued in order, but a task
 * that is blocked only by its owner's limit does not block other owners. A slot is released even if its task fails.
 */
export function fairSemaphore(
  most: number,
  mostOfOne: number,
): <Result>(owner: string, work: () => Promise<Result>) => Promise<Result> {
  const ofAll = pLimit(most)
  const owners = new Map<string, { limit: LimitFunction; count: number }>()
  return async (owner, work) => {
    const own = owners.get(owner) ?? { limit: pLimit(mostOfOne), count: 0 }
    owners.set(owner, own)
    own.count++
    try {
      return await own.limit(() => ofAll(work))
    } finally {
      if (--own.count === 0) owners.delete(owner)
    }
  }
}
