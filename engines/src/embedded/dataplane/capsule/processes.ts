import { appendFileSync, writeFileSync } from 'node:fs'
import { readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { findProgram } from '../../../host/programs'
import { isAlive, isGoneWithin, kill, pause, spawnDetached, type ProcessId } from '../../../host/processes'
import { lastWords } from '../../../host/reasons'
import { uplink } from '../../../network-model/uplink'

/*
 * The two processes that are the capsule: one holds its namespaces, the other is the way out. Both go on without the server.
 */

const startWithinMs = 10_000
export const isRoot = () => process.getuid?.() === 0

/** Words before a command so that it runs inside, by any process that is. */
export const enterBy = ({ pid }: ProcessId): string[] => [
  ...['nsenter', '--target', String(pid), '--mount', '--net'],
  ...(isRoot() ? [] : ['--user', '--preserve-credentials']),
  '--',
]

export const namespaceOf = ({ pid }: ProcessId, kind: 'net' | 'mnt') => readlink(`/proc/${pid}/ns/${kind}`)

const endsWithIt = 'pids'

/** A process that has to end with the capsule when somebody removes its folder. */
export const endWithCapsule = (folder: string, pid: number, program: string) =>
  appendFileSync(join(folder, endsWithIt), `${pid} ${program}\n`, { mode: 0o600 })

/**
 * Waits for ever; but when somebody removes the folder, no server will come for the capsule: all its processes end. Their
 * numbers are read from a file that was opened before it was removed.
 */
const holderScript = `
exec 3<>"$1/${endsWithIt}"
while [ -d "$1" ]; do sleep 2; done
while read -r pid program; do
  [ "$(cat "/proc/$pid/comm")" = "$program" ] && kill "$pid"
done <&3`

/** Starts the process that holds the namespaces which `before` makes or enters. */
export async function startHolder(folder: string, before: string[]): Promise<ProcessId> {
  const own = await readlink('/proc/self/ns/net')
  const command = [...before, 'sh', '-c', holderScript, 'sh', folder]
  return startDetached(folder, 'holder.log', command, async (holder) => {
    // other shells come before it, in namespaces that they only pass through: it alone has this file open
    const file = await readlink(`/proc/${holder.pid}/fd/3`)
    return file.endsWith(`/${endsWithIt}`) && (await namespaceOf(holder, 'net')) !== own
  })
}

/** Where the way out takes orders, in the folder. */
export const uplinkSocket = 'slirp.sock'

/** Starts the way out; `six`: of IPv6 too. Where the server is root it keeps no rights and sees of the host's files only `/etc` and `/run`. */
export async function startUplink(folder: string, holder: ProcessId, six: boolean): Promise<ProcessId> {
  const options = [
    ...[`--mtu=${uplink.mtu}`, `--cidr=${uplink.network}`, '--disable-host-loopback'],
    ...(six ? ['--enable-ipv6'] : []),
  ]
  const place = `/proc/${holder.pid}/ns`
  await rm(join(folder, uplinkSocket), { force: true })
  const command = [
    // what it mounts for its sandbox must not appear on the host
    ...(isRoot() ? ['unshare', '--mount', '--propagation', 'slave', '--'] : []),
    ...['slirp4netns', ...options, `--api-socket=${uplinkSocket}`, '--netns-type=path'],
    // without root it has no rights on the host to begin with, and could not make the sandbox
    ...(isRoot() ? ['--enable-sandbox'] : [`--userns-path=${place}/user`]),
    ...[`${place}/net`, uplink.device],
  ]
  const slirp = await startDetached(folder, 'slirp4netns.log', command, async () =>
    (await readFile(`/proc/${holder.pid}/net/dev`, 'utf8')).includes(`${uplink.device}:`),
  )
  endWithCapsule(folder, slirp.pid, 'slirp4netns')
  return slirp
}

/** A capsule that is made anew has none of the processes of the one before. */
export const forgetProcesses = (folder: string) => writeFileSync(join(folder, endsWithIt), '', { mode: 0o600 })

/** Starts a process that goes on without this one, and waits until it is ready. Throws its last words if it ends before. */
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
