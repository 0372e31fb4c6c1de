import { spawn } from 'node:child_process'
import process from 'node:process'
import { join } from 'node:path'
import { findProgram } from '../../../host/programs'
import { sockets } from '../../../network-model/compile/haproxy'
import { balancerSpaceOf, guestSpaceOf } from '../../../network-model/names'
import { ask, readTable } from '../services/haproxy-socket'
import type { WantedNetworks, WantedPort } from '../../../network-model/wanted'
import type { DriverCalls } from './driver'
import { asOrdinary, folderOf, removeFolder, startDriver } from './driver-process'

/*
 * For specs: a dataplane in a separate process, as root or as an ordinary user. Guests are replaced with namespaces, in
 * which scripts can be run.
 */

export interface Bed {
  folder: string
  calls: DriverCalls
  /** Runs a `bash` script in one of the capsule's namespaces (`sw`, `edge`, or that of a network, router or guest). */
  run(space: string, script: string): Promise<string>
  /** Runs a script in the namespace of a port's guest. */
  from(portId: string, script: string): Promise<string>
  pids(): Promise<{ holder: number; slirp: number }>
  /** Kills the server process and starts another one. */
  killServer(): Promise<void>
  look(): Promise<void>
  end(): Promise<void>
}

/** Opens a bed. `host`: prefix for running the driver on another host. */
export async function openBed({ rootless, host = [] }: { rootless: boolean; host?: readonly string[] }): Promise<Bed> {
  const folder = folderOf('mainstay-networks-', rootless)
  const before = [...host, ...asOrdinary(rootless)]
  const driver = await startDriver<DriverCalls>('driver', folder, before)
  const { calls } = driver

  async function run(space: string, script: string): Promise<string> {
    const { holder } = await calls.pids()
    const user = rootless ? ['--user', '--preserve-credentials'] : []
    const [file = '', ...words] = [
      ...before,
      ...[findProgram('nsenter') ?? '', '--target', String(holder), '--mount', '--net', ...user, '--'],
      ...['nsenter', `--net=/run/netns/${space}`, '--', 'bash'],
    ]
    return new Promise((resolve, reject) => {
      const env = { ...process.env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
      const shell = spawn(file, words, { env, cwd: '/' })
      let output = ''
      for (const stream of [shell.stdout, shell.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text))
      shell.once('error', reject).once('close', () => resolve(output))
      shell.stdin.end(script)
    })
  }

  return {
    folder,
    calls,
    run,
    from: (portId, script) => run(guestSpaceOf(portId), script),
    pids: () => calls.pids(),
    killServer: () => driver.restart(),
    look: () => calls.look(),
    async end() {
      await calls.finish().catch(() => undefined)
      await driver.end()
      removeFolder(folder)
    },
  }
}

/** Configures the namespaces of ports as guests would: MAC addresses, IP addresses, MTU and default routes. */
export async function createSampleNetworks(
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

/**
 * Returns a regular expression for the complete octets or groups of a prefix, which is enough to distinguish the
 * subnets in a spec.
 */
const prefixPattern = (cidr: string) => {
  const [address = '', bits = ''] = cidr.split('/')
  if (address.includes(':')) return `^${address.replace(/::$/, '')}:`
  return `^${address
    .split('.')
    .slice(0, Math.floor(Number(bits) / 8))
    .join('\\.')}\\.`
}

/**
 * Prints the PIDs of processes with these names in the current network namespace, one per line. Uses shell builtins
 * only, because a host may have many processes.
 */
export const processesHere = (...names: string[]) =>
  `for p in /proc/[0-9]*; do read -r name <$p/comm && [ $p/ns/net -ef /proc/self/ns/net ] && case $name in ${names.join('|')}) echo \${p#/proc/};; esac; done 2>/dev/null`

/**
 * Whether the HAProxy of each of these amphorae reports all of its members as up, which takes a few checks after a
 * start.
 */
export async function knowMembers({ folder }: Bed, amphoraIds: readonly string[]): Promise<boolean> {
  const socketOf = (id: string) => join(folder, 'networks', balancerSpaceOf(id), sockets.stats)
  const said = await Promise.all(amphoraIds.map((id) => ask(socketOf(id), 'show stat').catch(() => '')))
  const members = said.map((text) =>
    readTable(text).filter(({ svname, check_status }) => !isTotal(svname) && check_status !== ''),
  )
  return members.every((its) => its.length > 0 && its.every(({ status }) => status === 'UP'))
}
const isTotal = (name: string | undefined) => name === 'FRONTEND' || name === 'BACKEND'

/** After how many seconds nothing counts as a response. Includes the start of several processes on a busy machine. */
const SILENCE = 4

/** Returns a shell script for a guest that prints `open`, `refused` (which also counts as a response) or `silent`. */
export const tryTcp = (address: string, port: number, seconds = SILENCE) =>
  `e=$(timeout ${seconds} bash -c ': </dev/tcp/${address}/${port}' 2>&1); r=$?; case "$r $e" in "0 "*) echo open;; *refused*) echo refused;; *) echo silent;; esac`

export const tryUdp = (address: string, port: number, seconds = SILENCE) =>
  `e=$(bash -c 'exec 3<>/dev/udp/${address}/${port}; echo x >&3; read -t ${seconds} -u 3 l; r=$?; echo "$r $l"' 2>&1); case "$e" in *refused*) echo refused;; "0 "*) echo open;; *) echo silent;; esac`

export const tryPing = (address: string, seconds = SILENCE) =>
  `ping -n -c 1 -W ${seconds} ${address} >/dev/null 2>&1 && echo answered || echo silent`
