import pLimit, { type LimitFunction } from 'p-limit'

/**
 * Runs at most `most` pieces of work at a time, and at most `mostOfOne` of one owner; the others wait in order, and work
 * of others passes by what waits for its owner. The permit is given back however the work ends.
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
