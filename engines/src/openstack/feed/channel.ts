/** Bounded queue from the readers to the single writer. Readers that are too far ahead have to wait. */
export interface Channel<Item> extends AsyncIterable<Item> {
  /** Adds an item and resolves when there is room for more. */
  push(item: Item): Promise<void>
  /** Drops the queued items and ignores later ones. */
  close(): void
}

export function createChannel<Item>(most: number): Channel<Item> {
  let waiting: Item[] = []
  let isClosed = false
  let wakeReader: (() => void) | null = null
  let writers: (() => void)[] = []

  function letWritersGo(): void {
    const go = writers
    writers = []
    for (const resume of go) resume()
  }

  return {
    async push(item) {
      if (isClosed) return
      waiting.push(item)
      wakeReader?.()
      if (waiting.length >= most) await new Promise<void>((resume) => writers.push(resume))
    },
    close() {
      isClosed = true
      waiting = []
      wakeReader?.()
      letWritersGo()
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
      for (;;) {
        while (waiting.length === 0 && !isClosed) await new Promise<void>((wake) => (wakeReader = wake))
        if (isClosed) return
        const items = waiting
        waiting = []
        letWritersGo()
        for (const item of items) {
          if (isClosed) return
          yield item
        }
      }
    },
  }
}
