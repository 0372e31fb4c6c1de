import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { access, constants, mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, readKernel, runProgram } from '../../../host/programs'
import { bootId, isAlive, kill, type ProcessId } from '../../../host/processes'
import { lastWords } from '../../../host/reasons'
import type { Log } from '../../../ports/records'
import { ownAddresses } from './own-addresses'
import { endAll, enterBy, forgetProcesses, isRoot, namespaceOf, startHolder, startUplink } from './processes'
import {
  bringUp,
  bringUpSix,
  listRefused,
  refusedIn,
  refuseInstead,
  rulesOnce,
  rulesOnceSix,
  uplink,
} from '../../../network-model/uplink'

/*
 * Mount and network namespaces for the processes of all instances and for the networks between them. Outbound traffic
 * leaves through slirp4netns as connections from the host; the host's own addresses are not reachable. If the server
 * runs as an ordinary user, the capsule also has a user namespace; as root, none is required. Like the instances in it,
 * the capsule outlives the server.
 */

export interface Capsule {
  /** Returns the prefix for running a command inside the capsule. */
  enter(): string[]
  /** Identifies the network namespace in process records. Changes when the capsule is rebuilt. */
  readonly id: string
  readonly folder: string
  readonly holder: ProcessId
  readonly uplink: ProcessId
  /** Returns the number of restarts since this server opened the capsule, and why the uplink last exited. */
  restarts(): { capsule: number; uplink: number; uplinkFault: string | null }
  /** Checks the capsule now instead of waiting for the next check, which runs every second. */
  look(): Promise<void>
  /** Calls the listener after every check and tells it what was restarted. Returns a function that unsubscribes it. */
  onLook(listener: (news: { rebuilt: boolean; uplinkRestarted: boolean }) => void): () => void
  /** Stops the checks. Shuts down the capsule if it is empty; otherwise leaves it running. */
  close(isEmpty: boolean): Promise<void>
}

interface Given {
  folder: string
  log: Log
  /** Processes started by a previous server process, some of which may run in the capsule. */
  machines: () => readonly ProcessId[]
}

/** Capsule state saved on disk for the next server process. */
interface CapsuleRecord {
  id: string
  /**
   * The mount namespace, which all processes inside share regardless of their network. Not written by earlier versions.
   */
  mounts?: string
  /**
   * Whether IPv6 traffic may leave through the uplink, with the host's own addresses blocked. False on hosts without
   * IPv6; not written by earlier versions.
   */
  six?: boolean
  /** A process that only keeps the namespaces open, so that they can always be entered. */
  holder: ProcessId
  slirp: ProcessId
}

const lookEveryMs = 1_000

/** Explains to users why there is no capsule. */
export interface NoCapsule {
  impossible: string
  /** Whether the failure is temporary and a retry may succeed. */
  isPassing: boolean
}

/** Opens the capsule of a previous server process, or creates one. Returns the reason if that is not possible. */
export async function openCapsule(given: Given): Promise<Capsule | NoCapsule> {
  const missing = Object.entries(packageOf).filter(([program]) => findProgram(program) === null)
  const names = [...new Set(missing.map(([, name]) => name)), ...(knowsProtocols() ? [] : ['netbase'])]
  if (names.length > 0) {
    return { impossible: `install ${names.join(' and ')}`, isPassing: false }
  }
  await mkdir(given.folder, { recursive: true, mode: 0o700 })
  try {
    return await holdOpen(given, await foundOrMade(given))
  } catch (error) {
    const impossible = error instanceof Error ? error.message : String(error)
    return { impossible, isPassing: !isRefusal(impossible) && (await mayMakeCards()) }
  }
}

/** Whether the kernel reports that a feature is missing or not permitted, in which case a retry cannot help. */
const isRefusal = (message: string) =>
  /Operation not permitted|Permission denied|Read-only file system|No space left on device|Invalid argument|not supported/.test(
    message,
  )

const mayMakeCards = () =>
  access('/dev/net/tun', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )

/**
 * Whether the host has the file in which `ip` and `nft` look up `tcp` and `udp`. The file is missing on a minimal
 * Debian system.
 */
const knowsProtocols = () => statSync('/etc/protocols', { throwIfNoEntry: false })?.isFile() === true

const packageOf = {
  slirp4netns: 'slirp4netns',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  setpriv: 'util-linux',
}

async function holdOpen({ folder, log, machines }: Given, record: CapsuleRecord): Promise<Capsule> {
  let now = record
  let told = ''
  let looking: Promise<void> | null = null
  const restarts = { capsule: 0, uplink: 0, uplinkFault: null as string | null }
  const listeners = new Set<(news: { rebuilt: boolean; uplinkRestarted: boolean }) => void>()

  async function lookOnce(): Promise<void> {
    const before = now
    if (!isAlive(now.holder)) {
      now = keep(folder, await foundOrMade({ folder, log, machines }))
      restarts.capsule++
      log.warn({ pid: now.holder.pid }, 'the process that holds the guest network namespace had ended and was replaced')
    }
    if (!isAlive(now.slirp)) {
      restarts.uplinkFault = (await lastWords(join(folder, 'slirp4netns.log'))) ?? 'another process terminated it'
      now = keep(folder, { ...now, slirp: await startUplink(folder, now.holder, now.six === true) })
      restarts.uplink++
      log.warn({ pid: now.slirp.pid }, 'the uplink of the guests had ended and was restarted')
    }
    if (now !== before) told = ''
    await giveNameServer(folder, now.holder)
    const own = await ownAddresses()
    if (own.join() !== told) {
      await refuse(now, own)
      await inside(now.holder, ['ip', '-batch', '-'], bringUp)
      if (now.six) await inside(now.holder, ['ip', '-6', '-batch', '-'], bringUpSix)
      told = own.join()
    }
    const news = { rebuilt: now.id !== before.id, uplinkRestarted: now.slirp.pid !== before.slirp.pid }
    for (const listener of [...listeners]) listener(news)
  }

  const look = () => (looking ??= lookOnce().finally(() => (looking = null)))
  await look()
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.error({ error }, 'failed to check the guest network namespace'))
  }, lookEveryMs).unref()

  return {
    folder,
    look,
    get id() {
      return now.id
    },
    get holder() {
      return now.holder
    },
    get uplink() {
      return now.slirp
    },
    enter: () => enterBy(now.holder),
    restarts: () => restarts,
    onLook(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close(isEmpty) {
      clearInterval(timer)
      listeners.clear()
      await looking?.catch(() => undefined)
      if (isEmpty) await endAll([now.slirp, now.holder])
    },
  }
}

const recordIn = (folder: string) => join(folder, 'capsule.json')

function keep(folder: string, record: CapsuleRecord): CapsuleRecord {
  writeFileSync(recordIn(folder), JSON.stringify(record), { mode: 0o600 })
  return record
}

function kept(folder: string): CapsuleRecord | null {
  try {
    return JSON.parse(readFileSync(recordIn(folder), 'utf8')) as CapsuleRecord
  } catch {
    return null
  }
}

async function foundOrMade({ folder, log, machines }: Given): Promise<CapsuleRecord> {
  const before = kept(folder)
  if (before && before.holder.bootId === bootId()) {
    if (isAlive(before.holder)) {
      return before.mounts === undefined
        ? keep(folder, { ...before, mounts: await namespaceOf(before.holder, 'mnt') })
        : before
    }
    const insider = await insiderOf(before, machines())
    if (insider) return keep(folder, { ...before, holder: await startHolder(folder, enterAgain(insider)) })
    // no process is left inside, so the uplink is no longer required
    kill(before.slirp, 'SIGTERM')
  }
  forgetProcesses(folder)
  const holder = await startHolder(folder, [
    ...['unshare', ...(isRoot() ? [] : ['--user', '--map-root-user']), '--mount', '--net'],
    ...['--propagation', 'slave', '--'],
  ])
  try {
    await inside(holder, ['ip', '-batch', '-'], rulesOnce)
    const six = await hasSix(holder)
    await refuse({ holder, six }, await ownAddresses())
    const [id, mounts] = await Promise.all([namespaceOf(holder, 'net'), namespaceOf(holder, 'mnt')])
    const record = keep(folder, { id, mounts, six, holder, slirp: await startUplink(folder, holder, six) })
    log.info({ holder: holder.pid, slirp4netns: record.slirp.pid }, 'created the guest network namespace')
    return record
  } catch (error) {
    await endAll([holder])
    throw error
  }
}

/**
 * Returns the command prefix that enters the capsule through a process. The process may be in a different network
 * namespace than the capsule. Once networks exist, the capsule's namespace can be entered by its name.
 */
const enterAgain = (insider: ProcessId): string[] => [
  ...enterBy(insider),
  ...['sh', '-c', `[ -e ${edge} ] && exec nsenter --net=${edge} -- "$@"; exec "$@"`, 'sh'],
]
const edge = '/run/netns/edge'

async function insiderOf({ id, mounts }: CapsuleRecord, machines: readonly ProcessId[]): Promise<ProcessId | null> {
  for (const machine of machines) {
    if (!isAlive(machine)) continue
    const found = await (mounts === undefined ? namespaceOf(machine, 'net') : namespaceOf(machine, 'mnt')).catch(
      () => null,
    )
    if (found === (mounts ?? id)) return machine
  }
  return null
}

const inside = (holder: ProcessId, command: string[], input = '') => runProgram([...enterBy(holder), ...command], input)

/** Installs the static IPv6 rules. Returns false if the kernel has no IPv6. */
async function hasSix(holder: ProcessId): Promise<boolean> {
  if (!existsSync('/proc/net/if_inet6')) return false
  // ignore router advertisements from slirp4netns, so that routes to its network cannot bypass the blocked addresses
  const script = 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_ra && exec ip -6 -batch -'
  return inside(holder, ['sh', '-c', script], rulesOnceSix).then(
    () => true,
    (error: Error) => {
      if (isRefusal(error.message)) return false
      throw error
    },
  )
}

async function refuse({ holder, six }: Pick<CapsuleRecord, 'holder' | 'six'>, own: readonly string[]): Promise<void> {
  for (const version of six ? ([4, 6] as const) : ([4] as const)) {
    const before = refusedIn(await readKernel([...enterBy(holder), 'ip', ...listRefused(version)]))
    await inside(holder, ['ip', `-${version}`, '-batch', '-'], refuseInstead(version, before, own))
  }
}

/**
 * Mounts an `/etc/resolv.conf` for QEMU, which uses the name server in this file. Inside the capsule, the name server
 * is slirp4netns, which forwards queries to the host's name server. The file is mounted again if the host has replaced
 * it.
 */
async function giveNameServer(folder: string, holder: ProcessId): Promise<void> {
  const place = await realpath('/etc/resolv.conf').catch(() => null)
  if (place === null) return
  const text = `nameserver ${uplink.nameServer}\n`
  if ((await readFile(`/proc/${holder.pid}/root${place}`, 'utf8').catch(() => '')) === text) return
  const ours = join(folder, 'resolv.conf')
  writeFileSync(ours, text, { mode: 0o644 })
  // the tmpfs over `/run` may hide the parent folder
  const mount = 'mkdir -p "$(dirname "$2")" && { [ -e "$2" ] || : >"$2"; } && mount --bind "$1" "$2"'
  await inside(holder, ['sh', '-c', mount, 'sh', ours, place])
}
