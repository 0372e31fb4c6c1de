import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { AnotherHost } from '@mainstay/engines/embedded/dataplane/testing/another-host'

/*
 * Runs specs against a server on another host, which is simulated by a network namespace and reached through Unix
 * sockets.
 */

const relay = (socket: string, host: string, port: string) => `const { createServer, connect } = require('net')
createServer((from) => {
  const to = connect(${port}, '${host}')
  for (const it of [from, to]) it.on('error', () => (from.destroy(), to.destroy()))
  from.pipe(to).pipe(from)
}).listen('${socket}', () => process.stdout.write('ready'))`

export interface InsideHost {
  /** Prefix for running a server on that host, with the host's neighbour as its name server. */
  words: string[]
  /** Maps a URL on that host to one that this process can reach. */
  reach(url: string): Promise<string>
  close(): Promise<void>
}

export async function insideHost({
  words,
  neighbour4,
}: Pick<AnotherHost, 'words' | 'neighbour4'>): Promise<InsideHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-inside-'))
  const names = path.join(folder, 'resolv.conf')
  await writeFile(names, `nameserver ${neighbour4}\n`)
  const children: ChildProcess[] = []
  const servers: Server[] = []
  const asking = `mount --bind '${names}' "$(readlink -f /etc/resolv.conf)" && exec "$@"`
  return {
    words: [...words, 'unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c', asking, 'sh'],
    async reach(url) {
      const { hostname, port } = new URL(url)
      const socket = path.join(folder, `${children.length}.sock`)
      const [file, ...more] = [...words, process.execPath, '-e', relay(socket, hostname, port)]
      const child = spawn(file, more, { stdio: ['ignore', 'pipe', 'inherit'] })
      children.push(child)
      await new Promise<void>((ready, failed) => {
        child.stdout.once('data', () => ready())
        child.once('error', failed)
      })
      const server = createServer((from) => {
        const to = connect(socket)
        for (const it of [from, to]) it.on('error', () => (from.destroy(), to.destroy()))
        from.pipe(to).pipe(from)
      })
      servers.push(server)
      await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async close() {
      for (const server of servers) server.close()
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
