import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveRfb } from './rfb'
import { Screen } from './screen'

const stepMs = 500

export interface Screens {
  /** Path of the unix socket of a machine's screen; it is there from the first time somebody asks. */
  socketOf(id: string, name: string): Promise<string>
  /** Ends the machine: viewers are disconnected, and a fresh picture is shown when it is back. */
  drop(id: string): void
  close(): void
}

interface Shown {
  server: Server
  path: string
  listening: Promise<void>
  disconnect(): void
}

export function openScreens(): Screens {
  // not in the data folder, whose path may be longer than a socket's may be
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-screens-'))
  const shown = new Map<string, Shown>()
  let count = 0

  const show = (id: string, name: string): Shown => {
    const screen = new Screen(name)
    const viewers = new Map<Socket, ReturnType<typeof serveRfb>>()
    const tell = (area: ReturnType<Screen['tick']>) => viewers.forEach((viewer) => viewer.changed(area))
    let ticking: NodeJS.Timeout | null = null
    const server = createServer((socket) => {
      const viewer = serveRfb(socket, screen, {
        onKey(keysym) {
          const area = screen.press(keysym)
          if (area) tell(area)
        },
      })
      viewers.set(socket, viewer)
      ticking ??= setInterval(() => tell(screen.tick()), stepMs).unref()
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        viewers.delete(socket)
        if (viewers.size > 0 || !ticking) return
        clearInterval(ticking)
        ticking = null
      })
    })
    server.unref()
    // a name of its own for each: the one before may still be closing
    const path = join(folder, String(++count))
    const listening = new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    return {
      server,
      path,
      listening,
      disconnect: () => viewers.forEach((_, socket) => socket.destroy()),
    }
  }

  const drop = (id: string) => {
    const one = shown.get(id)
    if (!one) return
    shown.delete(id)
    one.server.close()
    one.disconnect()
  }

  return {
    async socketOf(id, name) {
      let one = shown.get(id)
      if (!one) {
        one = show(id, name)
        shown.set(id, one)
      }
      await one.listening
      return one.path
    },
    drop,
    close() {
      for (const id of [...shown.keys()]) drop(id)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
