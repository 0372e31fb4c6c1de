import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Lets servers under test download from this host. */
export const trustFileHost = { MAINSTAY_IMPORT_HOSTS: '127.0.0.1' }

/**
 * Starts a file server on loopback. After `hold`, it sends only the first half of each file; `letGo` sends the rest.
 */
export async function startFileHost(files: Record<string, Buffer | string>) {
  const asked: string[] = []
  const waiting: (() => void)[] = []
  let isHeld = false
  function answer(file: Buffer, response: ServerResponse) {
    response.writeHead(200, { 'content-length': file.length })
    if (!isHeld) return void response.end(file)
    const half = Math.floor(file.length / 2)
    response.write(file.subarray(0, half))
    waiting.push(() => response.end(file.subarray(half)))
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const file = files[path]
    if (file === undefined) return void response.writeHead(404).end()
    answer(Buffer.from(file), response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    /** Requested paths, in the order of the requests. */
    asked,
    hold: () => void (isHeld = true),
    letGo() {
      isHeld = false
      for (const send of waiting.splice(0)) send()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
