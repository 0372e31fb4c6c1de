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
 * For specs: a dataplane in a process of its own, as root or as an ordinary user, whose ports are namespaces, and ways to
 * do something from the place of a guest.
 */

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

/** `host`: words before a command so that it runs on another host than this one. */
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

/** Gives the namespaces of these ports what a guest has after it was told: MAC, addresses, MTU and its first hops. */
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

/** The whole words of a network's first part: enough to tell the subnets of a spec apart. */
const prefixPattern = (cidr: string) => {
  const [address = '', bits = ''] = cidr.split('/')
  if (address.includes(':')) return `^${address.replace(/::$/, '')}:`
  return `^${address
    .split('.')
    .slice(0, Math.floor(Number(bits) / 8))
    .join('\\.')}\\.`
}

/**
 * Numbers of the processes of these names in the namespace where it runs, a line each. It starts no program, as a host may have many
 * processes.
 */
export const processesHere = (...names: string[]) =>
  `for p in /proc/[0-9]*; do read -r name <$p/comm && [ $p/ns/net -ef /proc/self/ns/net ] && case $name in ${names.join('|')}) echo \${p#/proc/};; esac; done 2>/dev/null`

/** Whether each of these HAProxies has found all of its members to be up; one that has just started needs a few checks. */
export async function knowMembers({ folder }: Bed, amphoraIds: readonly string[]): Promise<boolean> {
  const socketOf = (id: string) => join(folder, 'networks', balancerSpaceOf(id), sockets.stats)
  const said = await Promise.all(amphoraIds.map((id) => ask(socketOf(id), 'show stat').catch(() => '')))
  const members = said.map((text) =>
    readTable(text).filter(({ svname, check_status }) => !isTotal(svname) && check_status !== ''),
  )
  return members.every((its) => its.length > 0 && its.every(({ status }) => status === 'UP'))
}
const isTotal = (name: string | undefined) => name === 'FRONTEND' || name === 'BACKEND'

/** `open`, `refused` (which is an answer too) or `silent`; a script for the place of a guest. */
export const tryTcp = (address: string, port: number, seconds = 1.5) =>
  `e=$(timeout ${seconds} bash -c ': </dev/tcp/${address}/${port}' 2>&1); r=$?; case "$r $e" in "0 "*) echo open;; *refused*) echo refused;; *) echo silent;; esac`

export const tryUdp = (address: string, port: number, seconds = 1.5) =>
  `e=$(bash -c 'exec 3<>/dev/udp/${address}/${port}; echo x >&3; read -t ${seconds} -u 3 l; r=$?; echo "$r $l"' 2>&1); case "$e" in *refused*) echo refused;; "0 "*) echo open;; *) echo silent;; esac`

export const tryPing = (address: string, seconds = 1.5) =>
  `ping -n -c 1 -W ${seconds} ${address} >/dev/null 2>&1 && echo answered || echo silent`
