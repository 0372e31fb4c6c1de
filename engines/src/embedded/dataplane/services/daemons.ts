import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../../host/programs'
import { serviceReasonIn } from '../../../host/reasons'
import type { ServiceUser } from '../../../host/service-users'
import type { Capsule } from '../capsule/capsule'
import { endAll, endWithCapsule } from '../capsule/processes'
import { identify, isAlive, kill, pause, type ProcessId } from '../../../host/processes'
import { servicesPlace } from '../../../network-model/names'
import type { ProcessHealth } from '../../../network-model/wanted'

/*
 * Keeps the network services in the capsule running, and adopts those that a previous server process started. Each
 * service runs in its own folder, which contains its files. A changed service is reloaded if it supports that, and
 * restarted otherwise.
 */

export interface Service {
  /** Also the name of the service's folder. */
  key: string
  space: string | null
  /**
   * User that may read the service's files, which are owned by the server. If missing or null, only the server may read
   * them.
   */
  user?: ServiceUser | null
  /**
   * Whether the service reads its files before it switches to `user`, which then requires access only to programs and
   * sockets.
   */
  readsFirst?: boolean
  program: string
  args: string[]
  /** Final process name, if `program` only executes another program. */
  becomes?: string
  /** Files in the service's folder. A change restarts the service. */
  files: Record<string, string>
  /** Files that are reloaded on SIGHUP. Removing a line restarts the service. */
  lists: Record<string, string>
  /**
   * Arguments with which a new process is started alongside the old one, followed by the PID of the old process. The
   * new process terminates the old one.
   */
  replaces?: string[]
  /** Executable files in the service's folder; otherwise treated like `files`. */
  programs?: Record<string, string>
  /**
   * Applies changed files, which `furnish` writes, at run time. Returns why that failed, or null. Throws if the service
   * does not respond.
   */
  takeOver?: (furnish: () => void, process: ProcessId) => Promise<string | null>
  /** Whether the service is ready. */
  isReady?: () => Promise<boolean>
}

interface Kept {
  process: ProcessId
  /** Digest of everything except for `lists`. */
  digest: string
  /** Digest of the command only. */
  command?: string
  lists: Record<string, string>
  since: string
}

export interface Daemons {
  /** Starts, changes and stops services so that exactly these are running. Returns faults by service key. */
  keep(services: readonly Service[]): Promise<Map<string, string>>
  /** Restarts services that have exited. */
  look(): Promise<void>
  /** Returns all service processes, through which the capsule can be entered. */
  processes(): ProcessId[]
  health(): Map<string, ProcessHealth>
  end(): Promise<void>
}

interface Given {
  folder: string
  capsule: () => Capsule
}

export function openDaemons({ folder, capsule }: Given): Daemons {
  const recordFile = join(folder, recordName)
  const kept = new Map(Object.entries(readKept(recordFile)))
  const restarts = new Map<string, { count: number; fault: string | null }>()
  let wanted: readonly Service[] = []

  const write = () => {
    writeFileSync(`${recordFile}.part`, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 })
    renameSync(`${recordFile}.part`, recordFile)
  }

  /** Writes the files of a service. Returns its folder. */
  function furnish({ key, files, lists, programs = {}, user = null, readsFirst = false }: Service): string {
    const home = join(folder, key)
    if (!existsSync(home)) mkdirSync(home, { recursive: true, mode: 0o700 })
    for (const [name, text] of Object.entries({ ...files, ...lists, ...programs })) {
      const path = join(home, name)
      const mode = name in programs ? 0o700 : 0o600
      writeFileSync(`${path}.part`, text, { mode })
      if (user && (name in programs || !readsFirst)) lend(`${path}.part`, user, mode)
      renameSync(`${path}.part`, path)
    }
    if (user) lend(home, user, 0o700)
    return home
  }

  /** Gives a service's group the same permissions as the owner, except for write permission. */
  function lend(path: string, { gid }: ServiceUser, mode: number): void {
    chownSync(path, 0, gid)
    chmodSync(path, mode | ((mode & 0o500) >> 3))
  }

  /** Returns why a service exited, according to its log, or null if unknown. */
  function whyEnded(key: string): string | null {
    const log = join(folder, key, 'log')
    return existsSync(log) ? serviceReasonIn(readFileSync(log, 'utf8')) || null : null
  }

  async function start(services: readonly Service[]): Promise<Map<string, string>> {
    const faults = new Map<string, string>()
    if (services.length === 0) return faults
    const homes = new Map(services.map((service) => [service.key, furnish(service)]))
    const script = services.map(({ key, space, program, args, replaces }) => {
      const before = kept.get(key)?.process
      const more = replaces && before && isAlive(before) ? [...replaces, String(before.pid)] : []
      const enter = space === null ? '' : `nsenter --net=/run/netns/${space} -- `
      const words = [program, ...args, ...more].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
      return `(cd '${homes.get(key)}' && exec setsid ${enter}${words}) </dev/null >'${homes.get(key)}/log' 2>&1 9>&- & echo "${key} $!"`
    })
    const said = await runProgram([...capsule().enter(), 'sh'], `${placeFolder(folder)}\n${script.join('\n')}\n`)
    for (const [, key = '', pid] of said.matchAll(/^(\S+) (\d+)$/gm)) {
      const service = services.find((it) => it.key === key)
      const process = identify(Number(pid))
      if (!service || !process) {
        faults.set(key, whyEnded(key) ?? 'it stopped immediately')
        continue
      }
      const digests = { digest: digestOf(service), command: commandOf(service) }
      kept.set(key, { process, ...digests, lists: service.lists, since: new Date().toISOString() })
      endWithCapsule(capsule().folder, process.pid, service.becomes ?? service.program)
    }
    write()
    await Promise.all(
      services.map(async ({ key, isReady }) => {
        const fault = isReady && !faults.has(key) ? await whyNotReady(key, isReady) : null
        if (fault !== null) faults.set(key, fault)
      }),
    )
    return faults
  }

  /** Waits until the service is ready. Returns the reason if it is not. */
  async function whyNotReady(key: string, isReady: () => Promise<boolean>): Promise<string | null> {
    for (const end = Date.now() + readyWithinMs; Date.now() < end; await pause(20)) {
      if (await isReady().catch(() => false)) return null
      if (!isAlive(kept.get(key)!.process)) break
    }
    return whyEnded(key) ?? 'it does not become ready'
  }

  /** Applies changes in parallel, because each one waits for its own process. */
  async function takeOver(services: readonly Service[]): Promise<Map<string, string>> {
    const faults = new Map<string, string>()
    const mute: Service[] = []
    // if the server exits before the changes are complete, the next server process must repeat them
    for (const { key } of services) kept.get(key)!.digest = ''
    if (services.length > 0) write()
    await Promise.all(
      services.map(async (service) => {
        const known = kept.get(service.key)!
        const fault = await service.takeOver!(() => void furnish(service), known.process).catch(() => {
          mute.push(service)
        })
        if (fault === null) known.digest = digestOf(service)
        else if (fault !== undefined) faults.set(service.key, fault)
      }),
    )
    if (services.length > 0) write()
    if (mute.length === 0) return faults
    await endAll(mute.map(({ key }) => kept.get(key)!.process))
    return new Map([...faults, ...(await start(mute))])
  }

  return {
    async keep(services) {
      wanted = services
      const keys = new Set(services.map(({ key }) => key))
      const gone = [...kept].filter(([key]) => !keys.has(key))
      const stale: Service[] = []
      const changed: Service[] = []
      const ending: ProcessId[] = gone.map(([, { process }]) => process)
      for (const service of services) {
        const known = kept.get(service.key)
        if (!known || !isAlive(known.process)) stale.push(service)
        else if (service.takeOver && known.command === commandOf(service)) {
          if (known.digest !== digestOf(service)) changed.push(service)
        } else if (known.digest !== digestOf(service) || isLess(known.lists, service.lists)) {
          stale.push(service)
          if (!service.replaces) ending.push(known.process)
        } else if (JSON.stringify(known.lists) !== JSON.stringify(service.lists)) {
          furnish(service)
          kill(known.process, 'SIGHUP')
          known.lists = service.lists
        }
      }
      await endAll(ending)
      for (const [key] of gone) {
        kept.delete(key)
        rmSync(join(folder, key), { recursive: true, force: true })
      }
      if (gone.length > 0) write()
      const faults = new Map([...(await start(stale)), ...(await takeOver(changed))])
      return faults
    },
    async look() {
      const fallen = wanted.filter(({ key }) => !kept.has(key) || !isAlive(kept.get(key)!.process))
      for (const { key } of fallen) {
        const fault = whyEnded(key)
        restarts.set(key, { count: (restarts.get(key)?.count ?? 0) + 1, fault })
      }
      await start(fallen)
    },
    processes: () => [...kept.values()].map(({ process }) => process),
    health: () =>
      new Map(
        wanted.map(({ key }) => {
          const known = kept.get(key)
          const running = known !== undefined && isAlive(known.process)
          const { count = 0, fault = null } = restarts.get(key) ?? {}
          return [key, { running, since: running ? known.since : null, restarts: count, lastFault: fault }]
        }),
      ),
    end: () => endAll([...kept.values()].map(({ process }) => process)),
  }
}

/** Returns the service processes of a previous server process, according to its record. */
export const servicesIn = (folder: string): ProcessId[] =>
  Object.values(readKept(join(folder, recordName))).map(({ process }) => process)

/** Bind-mounts the parent folder of all services to its location in the capsule. */
const placeFolder = (folder: string) =>
  `[ '${folder}' -ef ${servicesPlace} ] || { mkdir -p ${servicesPlace} && mount --bind '${folder}' ${servicesPlace}; } || exit 1`

const recordName = 'services.json'
/** Generous, because a slow start on a busy host is not a fault. */
export const readyWithinMs = 15_000

function readKept(file: string): Record<string, Kept> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Kept>
  } catch {
    return {}
  }
}

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
const commandOf = ({ space, program, args }: Service) => sha256([space, program, args])
const digestOf = ({ space, program, args, files, programs }: Service) =>
  sha256([space, program, args, files, ...(programs ? [programs] : [])])

/** Whether a line was removed. A running service would keep using it. */
function isLess(before: Record<string, string>, after: Record<string, string>): boolean {
  return Object.entries(before).some(([name, text]) => {
    const now = new Set((after[name] ?? '').split('\n'))
    return text.split('\n').some((line) => !now.has(line))
  })
}
