import { Duplex } from 'node:stream'

/** Who reads so slowly is cut off, bytes. */
const MAX_BEHIND = 1024 * 1024

/** A serial line that takes one connection, for all who want to sit at it: each reads all of it, and each may type. */
export interface SharedLine {
  /** Another one at the line, who gets what is said from now on. */
  join(): Duplex
  say(bytes: Buffer): void
  /** Nobody is at the line afterwards. */
  end(): void
}

interface LineEnds {
  /** Somebody typed. `done` when more may be taken. */
  onTyped(bytes: Buffer, done: (error?: Error | null) => void): void
  /** The last one has left. */
  onEmpty(): void
}

export function createSharedLine({ onTyped, onEmpty }: LineEnds): SharedLine {
  const joined = new Set<Duplex>()
  return {
    join() {
      const one: Duplex = new Duplex({
        read: () => undefined,
        write: (bytes: Buffer, _, done) => onTyped(bytes, done),
        destroy(error, done) {
          if (joined.delete(one) && joined.size === 0) onEmpty()
          done(error)
        },
      })
      joined.add(one)
      return one
    },
    say(bytes) {
      for (const one of [...joined]) {
        one.push(bytes)
        if (one.readableLength > MAX_BEHIND) one.destroy()
      }
    },
    end() {
      for (const one of [...joined]) one.destroy()
    },
  }
}
