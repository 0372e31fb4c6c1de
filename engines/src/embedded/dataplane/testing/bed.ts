import { fork, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { findProgram } from '../../../host/programs'
import { guestSpaceOf } from '../names'
import type { WantedNetworks, WantedPort } from '../wanted'
import type { DriverCalls } from './driver'

/*
 * For specs: a dataplane in a process of its own, as root or as an ordinary user, whose ports are namespaces, and ways to
 * do something from the place of a guest.
 */

export const isRoot = process.getuid?.() === 0
/** A number that no user of the system has. */
const ordinary = 61_234

export interface Bed {
  folder: string
  calls: DriverCalls
  /** Runs a script for `sh` in a namespace of the capsule (`sw`, `edge`, a network's, a router's, a guest's). */
  run(space: string, script: string): Promise<string>
  /** The same from a port's place. */
  from(portId: string, script: string): Promise<string>
  pids(): Promise<{ holder: number; slirp: number }>
  /** Ends the process of the server at once, and starts another. */
  killServer(): Promise<void>
  look(): Promise<void>
  end(): Promise<void>
}

let built: Promise<string> | null = null

async function driver(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mainstay-driver-'))
    chmodSync(folder, 0o755)
    const outfile = join(folder, 'driver.mjs')
    await build({
      ...{ entryPoints: [join(import.meta.dirname, 'driver.ts')], outfile, bundle: true },
      ...{ platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
    })
    chmodSync(outfile, 0o644)
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return outfile
  })()
  return built
}

/** Words before a command so that an ordinary user runs it. */
const asOrdinary = (isOrdinary: boolean) =>
  isOrdinary && isRoot
    ? [findProgram('setpriv') ?? '', `--reuid=${ordinary}`, `--regid=${ordinary}`, '--clear-groups', '--']
    : []

export async function openBed({ rootless }: { rootless: boolean }): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-networks-'))
  if (rootless && isRoot) chownSync(folder, ordinary, ordinary)
  const program = await driver()
  const before = asOrdinary(rootless)
  let child: ChildProcess
  let last = 0
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  function start(): void {
    const [file, ...words] = [...before, process.execPath]
    child = fork(program, [folder], {
      ...{ execPath: file, execArgv: words, serialization: 'advanced', cwd: '/' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: { message: string } }) => {
      const call = open.get(id)
      open.delete(id)
      if (error) call?.reject(new Error(error.message))
      else call?.resolve(value)
    })
  }
  start()

  const call = (name: string, ...args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      const id = ++last
      open.set(id, { resolve: resolve as (value: unknown) => void, reject })
      child.send({ id, call: name, args })
    })

  async function run(space: string, script: string): Promise<string> {
    const { holder } = (await call('holder')) as { holder: number }
    const user = rootless ? ['--user', '--preserve-credentials'] : []
    const [file = '', ...words] = [
      ...before,
      ...[findProgram('nsenter') ?? '', '--target', String(holder), '--mount', '--net', ...user, '--'],
      ...['nsenter', `--net=/run/netns/${space}`, '--', 'bash'],
    ]
    return new Promise((resolve, reject) => {
      const shell = spawn(file, words, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }, cwd: '/' })
      let output = ''
      for (const stream of [shell.stdout, shell.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text))
      shell.once('error', reject).once('close', () => resolve(output))
      shell.stdin.end(script)
    })
  }

  return {
    folder,
    calls: new Proxy({} as DriverCalls, {
      get:
        (_, name: string) =>
        (...args: unknown[]) =>
          call(name, ...args),
    }),
    run,
    from: (portId, script) => run(guestSpaceOf(portId), script),
    pids: () => call('holder'),
    async killServer() {
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      await gone
      start()
    },
    look: () => call('look'),
    async end() {
      await call('end').catch(() => undefined)
      const gone = new Promise((done) => child.once('exit', done))
      child.disconnect()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Gives the namespaces of these ports what a guest has after it was told: MAC, addresses, MTU and its first hops. */
export async function furnish(
  { run }: Bed,
  { networks, ports }: WantedNetworks,
  some: readonly WantedPort[] = ports,
): Promise<void> {
  const scripts = some
    .filter(({ owner }) => owner === 'instance')
    .map(({ id, networkId, mac, addresses }) => {
      const { subnets, mtu } = networks.find((network) => network.id === networkId)!
      const lines = [`link set dev lo up`, `link set dev eth0 address ${mac} mtu ${mtu} up`]
      for (const address of addresses) {
        const version = address.includes(':') ? 6 : 4
        const subnet =
          subnets.find((it) => it.version === version && new RegExp(prefixPattern(it.cidr)).test(address)) ??
          subnets.find((it) => it.version === version)!
        lines.push(`address replace ${address}/${subnet.cidr.split('/')[1]} dev eth0${version === 6 ? ' nodad' : ''}`)
        if (subnet.gateway) lines.push(`route replace default via ${subnet.gateway} dev eth0`)
      }
      return `nsenter --net=/run/netns/${guestSpaceOf(id)} sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_ratelimit; echo 0 >/proc/sys/net/ipv6/icmp/ratelimit; echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_ra; ip -force -batch -' <<'END'\n${lines.join('\n')}\nEND`
    })
  const said = await run('edge', scripts.join('\n'))
  if (said.trim() !== '') throw new Error(`guests could not be set up: ${said}`)
}

/** The whole words of a network's first part: enough to tell the subnets of a spec apart. */
const prefixPattern = (cidr: string) => {
  const [address = '', bits = ''] = cidr.split('/')
  if (address.includes(':')) return `^${address.replace(/::$/, '')}:`
  return `^${address
    .split('.')
    .slice(0, Math.floor(Number(bits) / 8))
    .join('\\.')}\\.`
}

/** `open`, `refused` (which is an answer too) or `silent`; a script for the place of a guest. */
export const tryTcp = (address: string, port: number, seconds = 1.5) =>
  `e=$(timeout ${seconds} bash -c ': </dev/tcp/${address}/${port}' 2>&1); r=$?; case "$r $e" in "0 "*) echo open;; *refused*) echo refused;; *) echo silent;; esac`

export const tryUdp = (address: string, port: number, seconds = 1.5) =>
  `e=$(bash -c 'exec 3<>/dev/udp/${address}/${port}; echo x >&3; read -t ${seconds} -u 3 l; r=$?; echo "$r $l"' 2>&1); case "$e" in *refused*) echo refused;; "0 "*) echo open;; *) echo silent;; esac`

export const tryPing = (address: string, seconds = 1.5) =>
  `ping -n -c 1 -W ${seconds} ${address} >/dev/null 2>&1 && echo answered || echo silent`
