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
 * Namespaces (mounts and network) for the processes of all machines and for the networks between them. What is sent out
 * leaves by slirp4netns, as connections of the host's; nothing leads from there to the host's own addresses. Where the
 * server is root it has its rights over the namespaces by that, else by a user namespace of its own. The capsule goes on
 * without the server, like the machines in it.
 */

export interface Capsule {
  /** What is written before a command so that it runs inside. */
  enter(): string[]
  /** Which network namespace it is, for records of processes. Another one: it was made anew. */
  readonly id: string
  readonly folder: string
  readonly holder: ProcessId
  readonly uplink: ProcessId
  /** What fell and was started again, since this server opened it. */
  restarts(): { capsule: number; uplink: number; uplinkFault: string | null }
  /** Looks after it now, instead of within a second. */
  look(): Promise<void>
  /** Calls back after every look, and says what was started again. Until the returned function is called. */
  onLook(listener: (news: { rebuilt: boolean; uplinkRestarted: boolean }) => void): () => void
  /** Stops watching. The capsule stays for what is in it; where that is nothing it ends. */
  close(isEmpty: boolean): Promise<void>
}

interface Given {
  folder: string
  log: Log
  /** Processes that an earlier server left, some of which may be inside. */
  machines: () => readonly ProcessId[]
}

/** What is known of it after a restart of the server. */
interface CapsuleRecord {
  id: string
  /** The namespace of mounts; earlier versions wrote none. Every process inside is in it, whatever its network. */
  mounts?: string
  /** IPv6 leads out as well, as what of it is refused was said. Earlier versions, and hosts without IPv6: it does not. */
  six?: boolean
  /** Does nothing but hold the namespaces, so that there is always a way in. */
  holder: ProcessId
  slirp: ProcessId
}

const lookEveryMs = 1_000

/** Why there is no capsule, for people. */
export interface NoCapsule {
  impossible: string
  /** The host did not refuse it: what failed may work at the next try. */
  isPassing: boolean
}

/** Opens the capsule of an earlier server, or makes one. Answers why it cannot be, where it cannot. */
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

/** What the kernel says where it has no such feature, or not for this user; the same is said at the next try. */
const isRefusal = (message: string) =>
  /Operation not permitted|Permission denied|Read-only file system|No space left on device|Invalid argument|not supported/.test(
    message,
  )

const mayMakeCards = () =>
  access('/dev/net/tun', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )

/** `ip` and `nft` know `tcp` and `udp` by this file, which a minimal Debian is without. */
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
      log.warn({ pid: now.holder.pid }, 'the network namespace of the guests had lost its holder, and has another')
    }
    if (!isAlive(now.slirp)) {
      restarts.uplinkFault = (await lastWords(join(folder, 'slirp4netns.log'))) ?? 'it was ended from outside'
      now = keep(folder, { ...now, slirp: await startUplink(folder, now.holder, now.six === true) })
      restarts.uplink++
      log.warn({ pid: now.slirp.pid }, 'the way out of the guests had ended and was started again')
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
    look().catch((error: unknown) =>
      log.error({ error }, 'the network namespace of the guests could not be looked after'),
    )
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
    // nobody is inside any more: what it led to is of no use
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
    log.info({ holder: holder.pid, slirp4netns: record.slirp.pid }, 'guests have a network namespace of their own')
    return record
  } catch (error) {
    await endAll([holder])
    throw error
  }
}

/** A process inside may be in another network than the capsule's first, which has a name where networks were made. */
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

/** Says once what of IPv6 is refused. Answers whether there is IPv6: a kernel may be without it. */
async function hasSix(holder: ProcessId): Promise<boolean> {
  if (!existsSync('/proc/net/if_inet6')) return false
  // slirp4netns tells of its network, which is no way past what is refused
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
 * QEMU asks the name server that `/etc/resolv.conf` names; inside that is slirp4netns, which asks the host's. The file
 * is mounted over again when the host has put another in its place.
 */
async function giveNameServer(folder: string, holder: ProcessId): Promise<void> {
  const place = await realpath('/etc/resolv.conf').catch(() => null)
  if (place === null) return
  const text = `nameserver ${uplink.nameServer}\n`
  if ((await readFile(`/proc/${holder.pid}/root${place}`, 'utf8').catch(() => '')) === text) return
  const ours = join(folder, 'resolv.conf')
  writeFileSync(ours, text, { mode: 0o644 })
  // its folder may have been hidden by that of the namespaces' names
  const mount = 'mkdir -p "$(dirname "$2")" && { [ -e "$2" ] || : >"$2"; } && mount --bind "$1" "$2"'
  await inside(holder, ['sh', '-c', mount, 'sh', ours, place])
}
