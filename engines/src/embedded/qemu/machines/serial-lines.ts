import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { connected } from '../../connected'
import { createSharedLine, type SharedLine } from '../../shared-line'

/** Serial ports with attached clients. QEMU serves only one connection at a time, so clients share it. */
export interface SerialLines {
  /** Rejects if the socket does not accept the connection. */
  join(socketPath: string): Promise<Duplex>
  close(): void
}

export function openSerialLines(): SerialLines {
  const lines = new Map<string, Promise<SharedLine>>()

  async function open(path: string, forget: () => void): Promise<SharedLine> {
    const socket = await connected(connect(path))
    const line = createSharedLine({
      onTyped: (bytes, done) => socket.write(bytes, done),
      onEmpty() {
        forget()
        // flushes the last input to the guest
        socket.end()
      },
    })
    socket.on('data', (bytes) => line.say(bytes))
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      forget()
      line.end()
    })
    return line
  }

  return {
    async join(path) {
      let line = lines.get(path)
      if (!line) {
        const opening = open(path, () => lines.get(path) === opening && lines.delete(path))
        lines.set(path, (line = opening))
        opening.catch(() => lines.delete(path))
      }
      return (await line).join()
    },
    close() {
      for (const line of lines.values()) void line.then((open) => open.end()).catch(() => undefined)
    },
  }
}
