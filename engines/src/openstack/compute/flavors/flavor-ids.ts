/** Ids of flavors by what servers tell of theirs, which is all but the id. */
export type FlavorIds = ReadonlyMap<string, string>

/** Remembers them between reads of single servers: all flavors would be read for each. */
export interface RememberedFlavorIds {
  /** Those that were read within a minute, if they have all of `keys`; otherwise as `read` brings them. */
  get(keys: readonly string[], read: () => Promise<FlavorIds>): Promise<FlavorIds>
  /** What was just read with everything else. */
  set(ids: FlavorIds): void
}

const goodMs = 60_000
/** A server may keep a flavor that is gone: what was not found is not looked for at every read. */
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

/** For a reading without memory everything is read each time. */
export const flavorIdsOf = ({ flavorIds }: { flavorIds?: RememberedFlavorIds }): RememberedFlavorIds =>
  flavorIds ?? { get: (_, read) => read(), set: () => undefined }
