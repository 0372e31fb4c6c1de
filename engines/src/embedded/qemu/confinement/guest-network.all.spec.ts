import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import { findProgram, runProgram } from '../../../host/programs'
import type { Hypervisor, MachineSpec } from '../../hypervisor'
import { ask, booting, cleanUp, dataFolder, guestSpec, nicOf, open, until } from '../testbed'

/** Reachability from inside a guest, tested with listeners on the host. */

const around = { gateway: '10.20.0.1', nameServer: '10.20.0.2', first: '10.20.0.0', last: '10.20.255.255' }
/** Addresses in the capsule, between guests and the host. */
const betweenUs = ['198.18.127.2', '198.18.127.3', '198.18.127.100']
const usual = [22, 53, 111, 631, 8800]

/** Counts TCP connections and UDP datagrams. */
async function listenOn(address: string) {
  let visits = 0
  const server: Server = createServer((socket) => {
    visits++
    socket.on('error', () => undefined).end('here is the host\n')
  })
  await new Promise<void>((done, refuse) => server.once('error', refuse).listen(0, address, done))
  const { port } = server.address() as AddressInfo
  const datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4').on('message', () => visits++)
  await new Promise<void>((done) => datagrams.bind(port, address, done))
  return {
    port,
    visits: () => visits,
    close() {
      server.close()
      datagrams.close()
    },
  }
}

/**
 * Creates a second host in its own network namespace, which responds on port 7000. `near` is this host's address on the
 * link.
 */
async function neighbour() {
  const net = `198.19.${1 + Math.floor(Math.random() * 250)}`
  const [near, far] = [`${net}.1`, `${net}.2`]
  const name = `ms${process.pid}`
  const program = `require('net').createServer((s) => s.end('here is the outside\\n')).listen(7000, '${far}', () => process.stdout.write('ready'))`
  const start = `ip link set lo up; until ip address add ${far}/30 dev ${name}o 2>/dev/null; do sleep 0.05; done; ip link set ${name}o up; exec "$0" -e "$1"`
  const child: ChildProcess = spawn(
    findProgram('unshare') ?? '',
    ['--net', 'sh', '-c', start, process.execPath, program],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    },
  )
  const ready = new Promise<void>((done) => child.stdout!.once('data', () => done()))
  const own = readFileSync('/proc/self/net/dev', 'utf8')
  await until('the namespace', () => readFileSync(`/proc/${child.pid}/net/dev`, 'utf8') !== own)
  await runProgram(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}o`, 'netns', String(child.pid)])
  await runProgram(['ip', 'address', 'add', `${near}/30`, 'dev', name])
  await runProgram(['ip', 'link', 'set', name, 'up'])
  await ready
  return { near, far, close: () => void child.kill('SIGKILL') }
}

describe('a guest', { timeout: 120_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  const ownAddress = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const opened: { close(): void }[] = []
  const listeners: Awaited<ReturnType<typeof listenOn>>[] = []
  let hypervisor: Hypervisor
  let guest: MachineSpec

  const listen = async (address: string) => {
    const listener = await listenOn(address)
    opened.push(listener)
    listeners.push(listener)
    return listener
  }

  /**
   * Returns the addresses and ports (`address:port`) that respond to the guest over TCP. Also sends a datagram to each
   * of them.
   */
  async function answersOf(addresses: string[], ports: number[]): Promise<string[]> {
    const found: string[] = []
    for (const address of addresses) {
      const tryPort =
        `(timeout 5 nc -w 3 ${address} $p </dev/null >/dev/null 2>&1; r=$?; ` +
        `[ $r = 0 -o $r = 143 ] && echo ${address}:$p) & (echo x | timeout 1 nc -u -w 1 ${address} $p >/dev/null 2>&1) &`
      const said = await ask(hypervisor, guest.id, `for p in ${ports.join(' ')}; do ${tryPort} done; wait`)
      found.push(...said.split(/\s+/).filter((word) => word.includes(':')))
    }
    return found
  }
  const reads = (address: string, port: number) =>
    ask(hypervisor, guest.id, `timeout 5 nc -w 3 ${address} ${port} </dev/null 2>/dev/null`)

  beforeAll(async () => {
    ;({ hypervisor } = await open(folder))
    guest = await guestSpec(hypervisor, folder, { nics: [nicOf({ address: '10.20.0.10', cidr: '10.20.0.0/16' })] })
    await booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))
    for (const address of ['127.0.0.1', '0.0.0.0', '::1', ...(ownAddress ? [ownAddress] : [])]) await listen(address)
  }, 300_000)

  afterAll(async () => {
    for (const one of opened) one.close()
    await cleanUp(hypervisor, folder)
  })

  test('cannot reach any port on its host, at any address', async () => {
    expect(await ask(hypervisor, guest.id, 'ip -4 addr show eth0')).toContain('10.20.0.10/16')
    const ports = [...listeners.map(({ port }) => port), ...usual]
    // the listener is reachable from the host itself
    expect((await runProgram([process.execPath, '-e', connectTo('127.0.0.1', listeners[0]!.port)])).trim()).toBe(
      'here is the host',
    )
    const before = listeners.map(({ visits }) => visits())
    const addresses = [
      ...Object.values(around),
      ...betweenUs,
      '169.254.169.254',
      '224.0.0.1',
      ...(ownAddress ? [ownAddress] : []),
    ]
    const nameServers = [`${around.nameServer}:53`, `${betweenUs[1]}:53`]
    expect((await answersOf(addresses, ports)).filter((it) => !nameServers.includes(it))).toEqual([])
    expect(listeners.map(({ visits }) => visits())).toEqual(before)
  })

  // creating a second host requires root
  test('reaches the outside, but not the host’s addresses there', needs('root', 'networks'), async () => {
    expect(hypervisor.guestNetwork().problem).toBe(null)
    const outside = await neighbour()
    opened.push(outside)
    const ofHost = await listen(outside.near)
    expect(await reads(outside.far, 7000)).toBe('here is the outside')
    await until(
      'the new address of the host to be refused',
      async () => (await reads(outside.near, ofHost.port)) === '',
    )
    const before = ofHost.visits()
    expect(await answersOf([outside.near], [ofHost.port])).toEqual([])
    expect(ofHost.visits()).toBe(before)

    await hypervisor.close()
    ;({ hypervisor } = await open(folder))
    expect(await reads(outside.far, 7000)).toBe('here is the outside')
    expect(await answersOf([outside.near, around.gateway], [ofHost.port, listeners[0]!.port])).toEqual([])

    const { slirp, holder } = JSON.parse(readFileSync(join(folder, 'network', 'capsule.json'), 'utf8')) as Record<
      'slirp' | 'holder',
      { pid: number }
    >
    process.kill(holder.pid, 'SIGKILL')
    process.kill(slirp.pid, 'SIGKILL')
    await until('the way out to be back', async () => (await reads(outside.far, 7000)) === 'here is the outside')
    expect(await answersOf([outside.near, around.gateway], [ofHost.port, listeners[0]!.port])).toEqual([])
    expect(ofHost.visits()).toBe(before)
  })
})

const connectTo = (address: string, port: number) =>
  `require('net').connect(${port}, '${address}').on('data', (data) => process.stdout.write(data))`
