/** Flavor IDs by `flavorKey`. Servers report the name, vCPUs and memory of their flavor, but not its ID. */
export type FlavorIds = ReadonlyMap<string, string>

/** Caches flavor IDs between reads of individual servers, each of which would otherwise list all flavors. */
export interface RememberedFlavorIds {
  /** Returns the cached IDs if they are less than a minute old and contain all `keys`; otherwise calls `read`. */
  get(keys: readonly string[], read: () => Promise<FlavorIds>): Promise<FlavorIds>
  /** Caches the IDs from a full read. */
  set(ids: FlavorIds): void
}

const goodMs = 60_000
/** How long a missing flavor is cached: a server can keep a flavor that has been deleted. */
const missedMs = 10_000

export function rememberFlavorIds(clock: () => number = Date.now): RememberedFlavorIds {
  let ids: FlavorIds = new Map()
  let readAt = -Infinity
  let missed = new Map<string, number>()
  let reading: Promise<FlavorIds> | null = null

  const set = (found: FlavorIds): void => {
    ids = found
    readAt = clock()
  }
  return {
    async get(keys, read) {
      const now = clock()
      const isKnown = (key: string) => ids.has(key) || now - (missed.get(key) ?? -Infinity) < missedMs
      if (now - readAt < goodMs && keys.every(isKnown)) return ids
      reading ??= read().finally(() => (reading = null))
      set(await reading)
      missed = new Map([...missed].filter(([, at]) => now - at < missedMs))
      for (const key of keys) if (!ids.has(key)) missed.set(key, now)
      return ids
    },
    set,
  }
}

/** Returns the cache of flavor IDs. Without a cache, the flavors are read on every call. */
export const flavorIdsOf = ({ flavorIds }: { flavorIds?: RememberedFlavorIds }): RememberedFlavorIds =>
  flavorIds ?? { get: (_, read) => read(), set: () => undefined }
