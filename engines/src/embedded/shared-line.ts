import { Duplex } from 'node:stream'

/** A client with more unread bytes than this is disconnected. */
const MAX_BEHIND = 1024 * 1024

/** Shares a serial line that accepts only one connection: every client receives all output and can send input. */
export interface SharedLine {
  /** Adds a client, which receives all output from then on. */
  join(): Duplex
  say(bytes: Buffer): void
  /** Disconnects all clients. */
  end(): void
}

interface LineEnds {
  /** Called when a client has sent input. Call `done` when more input can be accepted. */
  onTyped(bytes: Buffer, done: (error?: Error | null) => void): void
  /** Called when the last client has left. */
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
