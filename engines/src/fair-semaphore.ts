import pLimit, { type LimitFunction } from 'p-limit'

/**
 * Runs at most `most` pieces of work at a time, and at most `mostOfOne` per owner. The rest is queued in order, except
 * that work blocked only by the limit of its owner does not hold up other owners. The slot is released even if the work
 * fails.
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
