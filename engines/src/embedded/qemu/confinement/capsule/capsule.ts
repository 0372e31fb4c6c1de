import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, runProgram } from '../../../../host/programs'
import { bootId, isAlive, isGoneWithin, kill, pause, spawnDetached, type ProcessId } from '../../processes'
import { lastWords } from '../../reasons'
import type { Log } from '../../log'
import { ownAddresses } from './own-addresses'
import { bringUp, listRefused, refusedIn, refuseInstead, rulesOnce, uplink } from './uplink'

/*
 * A network namespace for the processes of all machines. What they send leaves it by slirp4netns, as connections of
 * the host's; nothing leads from there to the host's own addresses. Where the server is root it has its rights over
 * the namespace by that, else by a user namespace of its own. It goes on without the server, like the machines in it.
 */

export interface Capsule {
  /** What is written before a command so that it runs inside. */
  enter(): string[]
  /** Which namespace it is, for records of processes. */
  readonly id: string
  /** Stops watching. The capsule stays for what is in it; where that is nothing it ends. */
  close(isEmpty: boolean): Promise<void>
}

interface Given {
  folder: string
  log: Log
  /** Processes that an earlier server left, some of which may be inside. */
  machines: readonly ProcessId[]
}

/** What is known of it after a restart of the server. */
interface CapsuleRecord {
  id: string
  /** Does nothing but hold the namespaces, so that there is always a way in. */
  holder: ProcessId
  slirp: ProcessId
}

const lookEveryMs = 1_000
const startWithinMs = 10_000
const isRoot = () => process.getuid?.() === 0

/** Opens the capsule of an earlier server, or makes one. Answers why it cannot be, for people, where it cannot. */
export async function openCapsule(given: Given): Promise<Capsule | { impossible: string }> {
  const missing = Object.entries(packageOf).filter(([program]) => findProgram(program) === null)
  if (missing.length > 0) {
    return { impossible: `install ${[...new Set(missing.map(([, name]) => name))].join(' and ')}` }
  }
  await mkdir(given.folder, { recursive: true, mode: 0o700 })
  try {
    return await holdOpen(given, await foundOrMade(given))
  } catch (error) {
    return { impossible: error instanceof Error ? error.message : String(error) }
  }
}

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

  async function look(): Promise<void> {
    if (!isAlive(now.holder)) {
      // a machine that was started meanwhile is no way in that is known here; its holder outlives the server as it does
      now = keep(folder, await foundOrMade({ folder, log, machines }))
      log.warn({ pid: now.holder.pid }, 'the network namespace of the guests had lost its holder, and has another')
    }
    if (!isAlive(now.slirp)) {
      now = keep(folder, { ...now, slirp: await startUplink(folder, now.holder) })
      told = ''
      log.warn({ pid: now.slirp.pid }, 'the way out of the guests had ended and was started again')
    }
    await giveNameServer(folder, now.holder)
    const own = await ownAddresses()
    if (own.join() === told) return
    await refuse(now.holder, own)
    await inside(now.holder, ['ip', '-batch', '-'], bringUp)
    told = own.join()
  }

  await look()
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.error({ error }, 'the network namespace of the guests could not be looked after'))
      .finally(() => (looking = null))
  }, lookEveryMs).unref()

  return {
    get id() {
      return now.id
    },
    enter: () => enter(now.holder),
    async close(isEmpty) {
      clearInterval(timer)
      await looking
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
    if (isAlive(before.holder)) return before
    const insider = await insiderOf(before.id, machines)
    if (insider) return keep(folder, { ...before, holder: await hold(folder, enter(insider)) })
    // nobody is inside any more: what it led to is of no use
    kill(before.slirp, 'SIGTERM')
  }
  const holder = await hold(folder, [
    ...['unshare', ...(isRoot() ? [] : ['--user', '--map-root-user']), '--mount', '--net'],
    ...['--propagation', 'slave', '--'],
  ])
  try {
    await inside(holder, ['ip', '-batch', '-'], rulesOnce)
    await refuse(holder, await ownAddresses())
    const id = await namespaceOf(holder)
    const record = keep(folder, { id, holder, slirp: await startUplink(folder, holder) })
    log.info({ holder: holder.pid, slirp4netns: record.slirp.pid }, 'guests have a network namespace of their own')
    return record
  } catch (error) {
    await endAll([holder])
    throw error
  }
}

const namespaceOf = ({ pid }: ProcessId) => readlink(`/proc/${pid}/ns/net`)

async function insiderOf(id: string, machines: readonly ProcessId[]): Promise<ProcessId | null> {
  for (const machine of machines) {
    const found = isAlive(machine) && (await namespaceOf(machine).catch(() => null))
    if (found === id) return machine
  }
  return null
}

const enter = ({ pid }: ProcessId): string[] => [
  ...['nsenter', '--target', String(pid), '--mount', '--net'],
  ...(isRoot() ? [] : ['--user', '--preserve-credentials']),
  '--',
]

const inside = (holder: ProcessId, command: string[], input = '') => runProgram([...enter(holder), ...command], input)

/**
 * Waits for ever; but when somebody removes the folder, no server will come for the capsule: both its processes end. The
 * number of slirp4netns is read from a file that was opened before it was removed.
 */
const holderScript = `
exec 3<>"$1/slirp.pid"
while [ -d "$1" ]; do sleep 2; done
read -r slirp <&3
[ "$(cat "/proc/$slirp/comm")" = slirp4netns ] && kill "$slirp"`

/** Starts the process that holds the namespaces which `before` makes or enters. */
async function hold(folder: string, before: string[]): Promise<ProcessId> {
  const own = await readlink('/proc/self/ns/net')
  return started(folder, 'holder.log', [...before, 'sh', '-c', holderScript, 'sh', folder], async (holder) => {
    const program = await readFile(`/proc/${holder.pid}/comm`, 'utf8')
    return program.trim() === 'sh' && (await namespaceOf(holder)) !== own
  })
}

/** Starts the way out. Where the server is root it keeps no rights and sees of the host's files only `/etc` and `/run`. */
async function startUplink(folder: string, holder: ProcessId): Promise<ProcessId> {
  const options = [`--mtu=${uplink.mtu}`, `--cidr=${uplink.network}`, '--disable-host-loopback']
  const place = `/proc/${holder.pid}/ns`
  const command = [
    // what it mounts for its sandbox must not appear on the host
    ...(isRoot() ? ['unshare', '--mount', '--propagation', 'slave', '--'] : []),
    ...['slirp4netns', ...options, '--netns-type=path'],
    // without root it has no rights on the host to begin with, and could not make the sandbox
    ...(isRoot() ? ['--enable-sandbox'] : [`--userns-path=${place}/user`]),
    ...[`${place}/net`, uplink.device],
  ]
  const slirp = await started(folder, 'slirp4netns.log', command, async () =>
    (await readFile(`/proc/${holder.pid}/net/dev`, 'utf8')).includes(`${uplink.device}:`),
  )
  writeFileSync(join(folder, 'slirp.pid'), `${slirp.pid}\n`, { mode: 0o600 })
  return slirp
}

/** Starts a process that goes on without this one, and waits until it is ready. Throws its last words if it ends before. */
async function started(
  folder: string,
  logFile: string,
  [program = '', ...args]: string[],
  isReady: (process: ProcessId) => Promise<boolean>,
): Promise<ProcessId> {
  const errors = join(folder, logFile)
  await rm(errors, { force: true })
  const { process } = await spawnDetached(findProgram(program) ?? program, args, { folder, errors, input: null })
  for (const end = Date.now() + startWithinMs; Date.now() < end && isAlive(process); await pause(10)) {
    if (await isReady(process).catch(() => false)) return process
  }
  await endAll([process])
  throw new Error((await lastWords(errors)) ?? `${program} did not start`)
}

async function endAll(processes: ProcessId[]): Promise<void> {
  for (const one of processes) kill(one, 'SIGKILL')
  for (const one of processes) await isGoneWithin(one, startWithinMs)
}

async function refuse(holder: ProcessId, own: readonly string[]): Promise<void> {
  const before = refusedIn(await inside(holder, ['ip', ...listRefused]))
  await inside(holder, ['ip', '-batch', '-'], refuseInstead(before, own))
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
  await inside(holder, ['mount', '--bind', ours, place])
}
