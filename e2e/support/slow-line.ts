import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy with limited upload speed that can drop its connections. */
export interface SlowLine {
  /** Address of the proxy, to use in place of the server's address. */
  url: string
  /** Drops all connections; new ones are accepted immediately. */
  cut: () => void
  setSpeed: (bytesPerSecond: number) => void
  /** Forwards new connections to another server, as if the server had been restarted at the same address. */
  leadTo: (serverUrl: string) => void
  close: () => Promise<void>
}

export async function openSlowLine(serverUrl: string, bytesPerSecond: number): Promise<SlowLine> {
  const { hostname } = new URL(serverUrl)
  let { port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let speed = bytesPerSecond
  const line = createServer((near) => {
    const far = connect(Number(port), hostname)
    const ends = [near, far]
    for (const end of ends) {
      sockets.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        sockets.delete(end)
        for (const other of ends) other.destroy()
      })
    }
    far.pipe(near)
    near.on('data', (bytes) => {
      far.write(bytes)
      near.pause()
      setTimeout(() => near.resume(), (bytes.length / speed) * 1000)
    })
  })
  await new Promise<void>((resolve) => line.listen(0, hostname, resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://${hostname}:${(line.address() as AddressInfo).port}`,
    cut,
    setSpeed(next) {
      speed = next
    },
    leadTo(next) {
      ;({ port } = new URL(next))
    },
    async close() {
      cut()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
