import { appendFileSync, writeFileSync } from 'node:fs'
import { readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { findProgram } from '../../../host/programs'
import { isAlive, isGoneWithin, kill, pause, spawnDetached, type ProcessId } from '../../../host/processes'
import { lastWords } from '../../../host/reasons'
import { uplink } from '../../../network-model/uplink'

/*
 * The two processes of a capsule: the holder, which keeps its namespaces open, and the uplink. Both outlive the server.
 */

const startWithinMs = 10_000
export const isRoot = () => process.getuid?.() === 0

/** Returns the prefix for running a command in the namespaces of a process. */
export const enterBy = ({ pid }: ProcessId): string[] => [
  ...['nsenter', '--target', String(pid), '--mount', '--net'],
  ...(isRoot() ? [] : ['--user', '--preserve-credentials']),
  '--',
]

export const namespaceOf = ({ pid }: ProcessId, kind: 'net' | 'mnt') => readlink(`/proc/${pid}/ns/${kind}`)

const endsWithIt = 'pids'

/** Registers a process to be terminated when the capsule's folder is removed. */
export const endWithCapsule = (folder: string, pid: number, program: string) =>
  appendFileSync(join(folder, endsWithIt), `${pid} ${program}\n`, { mode: 0o600 })

/**
 * Sleeps while the capsule's folder exists. Its removal means that no server will use the capsule again, so all
 * registered processes are terminated. Their PIDs are read from a file that was opened before the removal.
 */
const holderScript = `
exec 3<>"$1/${endsWithIt}"
while [ -d "$1" ]; do sleep 2; done
while read -r pid program; do
  [ "$(cat "/proc/$pid/comm")" = "$program" ] && kill "$pid"
done <&3`

/** Starts the process that keeps the namespaces open; `before` is the command prefix that creates or enters them. */
export async function startHolder(folder: string, before: string[]): Promise<ProcessId> {
  const own = await readlink('/proc/self/ns/net')
  const command = [...before, 'sh', '-c', holderScript, 'sh', folder]
  return startDetached(folder, 'holder.log', command, async (holder) => {
    // the prefix runs shells in other namespaces first; only the holder has this file open
    const file = await readlink(`/proc/${holder.pid}/fd/3`)
    return file.endsWith(`/${endsWithIt}`) && (await namespaceOf(holder, 'net')) !== own
  })
}

/** API socket of the uplink, in the folder of the capsule. */
export const uplinkSocket = 'slirp.sock'

/**
 * Starts the uplink, with IPv6 if `six` is true. As root, slirp4netns runs in a sandbox: it drops its privileges and
 * can access only the host's `/etc` and `/run`.
 */
export async function startUplink(folder: string, holder: ProcessId, six: boolean): Promise<ProcessId> {
  const options = [
    ...[`--mtu=${uplink.mtu}`, `--cidr=${uplink.network}`, '--disable-host-loopback'],
    ...(six ? ['--enable-ipv6'] : []),
  ]
  const place = `/proc/${holder.pid}/ns`
  await rm(join(folder, uplinkSocket), { force: true })
  const command = [
    // keeps the sandbox's mounts out of the host's mount namespace
    ...(isRoot() ? ['unshare', '--mount', '--propagation', 'slave', '--'] : []),
    ...['slirp4netns', ...options, `--api-socket=${uplinkSocket}`, '--netns-type=path'],
    // without root, it has no privileges to drop and cannot create the sandbox
    ...(isRoot() ? ['--enable-sandbox'] : [`--userns-path=${place}/user`]),
    ...[`${place}/net`, uplink.device],
  ]
  const slirp = await startDetached(folder, 'slirp4netns.log', command, async () =>
    (await readFile(`/proc/${holder.pid}/net/dev`, 'utf8')).includes(`${uplink.device}:`),
  )
  endWithCapsule(folder, slirp.pid, 'slirp4netns')
  return slirp
}

/** Clears the list of registered processes, because a new capsule has none yet. */
export const forgetProcesses = (folder: string) => writeFileSync(join(folder, endsWithIt), '', { mode: 0o600 })

/**
 * Starts a process that outlives this one, and waits until it is ready. If it exits before that, throws an error with
 * its last log lines.
 */
async function startDetached(
  folder: string,
  logFile: string,
  [program = '', ...args]: string[],
  isReady: (process: ProcessId) => Promise<boolean>,
): Promise<ProcessId> {
  const errors = join(folder, logFile)
  await rm(errors, { force: true })
  const { process: started } = await spawnDetached(findProgram(program) ?? program, args, {
    folder,
    errors,
    input: null,
  })
  for (const end = Date.now() + startWithinMs; Date.now() < end && isAlive(started); await pause(10)) {
    if (await isReady(started).catch(() => false)) return started
  }
  await endAll([started])
  throw new Error((await lastWords(errors)) ?? `${program} did not start`)
}

export async function endAll(processes: readonly ProcessId[]): Promise<void> {
  for (const one of processes) kill(one, 'SIGKILL')
  for (const one of processes) await isGoneWithin(one, startWithinMs)
}
