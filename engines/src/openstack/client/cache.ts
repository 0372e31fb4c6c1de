/** A pending call older than this many milliseconds may be hanging; later callers start a new one. */
export const suspectAfterMs = 3_000

export interface Cache<Value> {
  /** Returns the cached value or calls `make`; concurrent callers share one call. */
  get(key: string, make: () => Promise<Value>): Promise<Value>
  /** Removes a value that turned out to be bad, unless it has already been replaced. */
  drop(key: string, bad: Value): void
  /** Removes all matching keys and returns the values that were already resolved. */
  take(isMeant: (key: string) => boolean): Value[]
}

interface Entry<Value> {
  making: Promise<Value>
  value?: Value
  until: number
}

/** Creates an LRU cache of at most `most` values; `goodUntil` returns the expiry in milliseconds since the epoch. */
export function createCache<Value>(most: number, goodUntil: (value: Value) => number): Cache<Value> {
  const entries = new Map<string, Entry<Value>>()

  function begin(key: string, make: () => Promise<Value>): Entry<Value> {
    const entry: Entry<Value> = { making: make(), until: Date.now() + suspectAfterMs }
    entry.making.then(
      (value) => {
        entry.value = value
        entry.until = goodUntil(value)
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key)
      },
    )
    return entry
  }

  return {
    get(key, make) {
      const known = entries.get(key)
      const entry = known && Date.now() < known.until ? known : begin(key, make)
      // the map keeps entries in order of use, the most recent last
      entries.delete(key)
      entries.set(key, entry)
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break
        entries.delete(oldest)
      }
      return entry.making
    },
    drop(key, bad) {
      if (entries.get(key)?.value === bad) entries.delete(key)
    },
    take(isMeant) {
      const taken = [...entries].filter(([key]) => isMeant(key))
      for (const [key] of taken) entries.delete(key)
      return taken.flatMap(([, { value }]) => (value === undefined ? [] : [value]))
    },
  }
}
