import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { FrameReader, frameOf } from '../../engines/src/hosts/ssh/frames'
import { server as usual } from '../../engines/src/hosts/testing/recordings'
import { recordedLink, type Recording } from '../../engines/src/hosts/testing/recorded-link'

/** A simulated host: a bridge process that listens on a local port. */
export interface SimulatedHost {
  name: string
  machineId: string
  port: number
  /** Recorded output of the host's programs. It can be replaced during the run. */
  recording: Recording
}

/** Script that replaces ssh: it connects to the bridge on the given port. */
const ssh = `#!/bin/bash
while [ "$1" != -p ]; do shift; done
exec 3<>"/dev/tcp/127.0.0.1/$2"
cat <&3 &
exec cat >&3
`

/** Writes the script that replaces ssh to a folder. The folder must come first in PATH. */
export async function writeSsh(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'ssh'), ssh)
  await chmod(path.join(folder, 'ssh'), 0o755)
}

/** Simulates hosts with `cockpit-bridge`. The metrics that they report change noticeably between readings. */
export async function simulateHosts(count: number): Promise<{ hosts: SimulatedHost[]; close(): void }> {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const hosts: SimulatedHost[] = []
  for (let number = 1; number <= count; number++) {
    const host = { name: `node-${number}`, machineId: `${number}`.padStart(32, '0'), port: 0, recording: usual }
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket)).on('error', () => undefined)
      serveBridge(socket, host)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    host.port = (server.address() as AddressInfo).port
    servers.push(server)
    hosts.push(host)
  }
  return {
    hosts,
    close() {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function serveBridge(socket: Socket, host: SimulatedHost): void {
  let readings = 0
  const control = (message: object) => socket.write(frameOf('', JSON.stringify(message)))
  const run = async (channel: string, argv: readonly string[]) => {
    // the command follows `timeout` and its two arguments
    const command = argv.slice(argv.indexOf('timeout') + 3)
    const isWhoAmI = command[2]?.startsWith('uname -n') === true
    readings += 1
    const { out } = isWhoAmI
      ? { out: `${host.name}\nroot\n0\n` }
      : await recordedLink(changing(host, readings)).run(command)
    socket.write(frameOf(channel, out))
    control({ command: 'close', channel, 'exit-status': 0 })
  }
  const reader = new FrameReader((name, payload) => {
    if (name !== '') return
    const { command, channel, spawn } = JSON.parse(payload.toString()) as {
      command: string
      channel?: string
      spawn?: string[]
    }
    if (command === 'open') void run(channel!, spawn!)
  })
  socket.on('data', (bytes) => reader.push(bytes))
  control({ command: 'init', version: 1 })
}

/** Returns the host's recording with metrics that depend on the number of readings. */
function changing({ name, machineId, recording }: SimulatedHost, readings: number): Recording {
  const isBusy = readings % 4 < 2
  const busy = readings * 1000 * (isBusy ? 0.8 : 0.2)
  return {
    ...recording,
    identity: `${name}\n6.1.0-13-amd64\n${machineId}\n`,
    stat: `cpu  ${Math.round(busy)} 0 0 ${readings * 1000 - Math.round(busy)} 0 0 0 0 0 0\nbtime 1796024105\n`,
    load: isBusy ? '9.52 4.58 2.59 1/389 12345\n' : '0.52 4.58 2.59 1/389 12345\n',
  }
}
