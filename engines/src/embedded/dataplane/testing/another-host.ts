import { spawn, type ChildProcess } from 'node:child_process'
import process from 'node:process'
import { findProgram, runProgram } from '../../../host/programs'

/*
 * For specs that run as root: a second host, and a neighbour that represents the internet. Both are namespaces, so that
 * packets from guests never leave this machine.
 */

export interface AnotherHost {
  /** Prefix for running a command on the host. */
  words: readonly string[]
  /** IPv6 addresses of the host and of its neighbour. */
  own: string
  neighbour: string
  /** IPv4 addresses of the host and of its neighbour. */
  own4: string
  neighbour4: string
  /** Runs a `sh` script on the host. */
  run(script: string): Promise<string>
  end(): void
}

/** Returns the script of a name server that resolves every name to one address. */
const naming = (address: string) => `const socket = require('dgram').createSocket('udp4')
socket.on('message', (asked, { port, address }) => {
  let end = 12
  while (asked[end] !== 0) end += asked[end] + 1
  const isA = asked.readUInt16BE(end + 1) === 1
  const head = Buffer.from([asked[0], asked[1], 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  const found = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...'${address}'.split('.').map(Number)])
  socket.send(Buffer.concat([head, asked.subarray(12, end + 5), ...(isA ? [found] : [])]), port, address)
})
socket.bind(53, '${address}', () => process.stdout.write('ready'))`

/**
 * Opens the host and its neighbour. Both respond on TCP port 8080 with their name and the client's address. The
 * neighbour is also a name server.
 */
export async function openAnotherHost(): Promise<AnotherHost> {
  const children: ChildProcess[] = []
  const start = async (words: readonly string[]): Promise<readonly string[]> => {
    const child = spawn(findProgram(words[0]!) ?? words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await new Promise<void>((ready, failed) => {
      child.stdout.once('data', () => ready())
      child.once('error', failed).once('close', () => failed(new Error(`${words.join(' ')} has ended`)))
    })
    return [findProgram('nsenter') ?? '', '--target', String(child.pid), '--net', '--']
  }
  const waiting = ['unshare', '--net', '--', 'sh', '-c', 'echo ready; exec sleep infinity']
  const [words, beyond] = [await start(waiting), await start(waiting)]
  const run = (script: string) => runProgram([...words, 'sh', '-ec', script])
  const [own, neighbour] = ['2001:db8:77::1', '2001:db8:77::2']
  const [own4, neighbour4] = ['192.0.2.1', '192.0.2.2']
  await run(`ip link set dev lo up
ip link add h0 type veth peer name h1
ip address add ${own}/64 dev h0 nodad
ip address add ${own4}/24 dev h0
ip link set dev h1 netns ${beyond[2]}
ip link set dev h0 up
ip route add default via ${neighbour}
ip route add default via ${neighbour4}`)
  await runProgram([
    ...[...beyond, 'sh', '-ec'],
    `ip link set dev lo up; ip address add ${neighbour}/64 dev h1 nodad; ip address add ${neighbour4}/24 dev h1; ip link set dev h1 up`,
  ])
  const answering = (name: string) =>
    `require('net').createServer((s) => s.on('error', () => 0).end('${name} ' + s.remoteAddress)).listen(8080, '::', () => process.stdout.write('ready'))`
  await start([...words, process.execPath, '-e', answering('host')])
  await start([...beyond, process.execPath, '-e', answering('internet')])
  await start([...beyond, process.execPath, '-e', naming(neighbour4)])
  return { words, own, neighbour, own4, neighbour4, run, end: () => children.forEach((child) => child.kill('SIGKILL')) }
}
