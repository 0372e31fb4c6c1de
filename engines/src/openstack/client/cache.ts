/** What takes longer than this, milliseconds, may hang: those who come later do not wait for it. */
export const suspectAfterMs = 3_000

export interface Cache<Value> {
  /** What is kept under the key, or what `make` brings; many who ask at once share one making. */
  get(key: string, make: () => Promise<Value>): Promise<Value>
  /** Forgets a value that turned out bad, unless another one has taken its place. */
  drop(key: string, bad: Value): void
  /** Forgets all under such keys, and answers what was there already. */
  take(isMeant: (key: string) => boolean): Value[]
}

interface Entry<Value> {
  making: Promise<Value>
  value?: Value
  until: number
}

/** At most so many values, each until its own time. The one that was not asked for longest makes room. */
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
      // the newest stands last
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
