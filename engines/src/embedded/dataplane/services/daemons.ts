import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../../host/programs'
import type { ServiceUser } from '../../../host/service-users'
import type { Capsule } from '../capsule/capsule'
import { endAll, endWithCapsule } from '../capsule/processes'
import { identify, isAlive, kill, type ProcessId } from '../../qemu/processes'
import { lastWords } from '../../qemu/reasons'
import type { ProcessHealth } from '../wanted'

/*
 * Programs that serve networks from inside: kept running, and adopted by the next server. Each has a folder with what it
 * reads, in which it runs. One that is to read something else is started anew, or told to read again where that does.
 */

export interface Service {
  /** Also the name of its folder. */
  key: string
  space: string | null
  program: string
  args: string[]
  /** Files of its folder; a change of these needs another process. */
  files: Record<string, string>
  /** A change of these is read again on SIGHUP, as long as nothing was taken out. */
  lists: Record<string, string>
  /** Starts the new process beside the old one, with these words and its number, and the new one ends it. */
  replaces?: string[]
}

interface Kept {
  process: ProcessId
  /** Of all but its lists. */
  digest: string
  lists: Record<string, string>
  since: string
}

export interface Daemons {
  /** Makes it so that exactly these run. */
  keep(services: readonly Service[]): Promise<Map<string, string>>
  /** Starts again what has fallen. */
  look(): Promise<void>
  /** All that run, as ways into the capsule. */
  processes(): ProcessId[]
  health(): Map<string, ProcessHealth>
  end(): Promise<void>
}

interface Given {
  folder: string
  capsule: () => Capsule
  /** Whom they become where the server is root. */
  user: ServiceUser | null
}

export function openDaemons({ folder, capsule, user }: Given): Daemons {
  const recordFile = join(folder, recordName)
  const kept = new Map(Object.entries(readKept(recordFile)))
  const restarts = new Map<string, { count: number; fault: string | null }>()
  let wanted: readonly Service[] = []

  const write = () => {
    writeFileSync(`${recordFile}.part`, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 })
    renameSync(`${recordFile}.part`, recordFile)
  }

  /** Gives its folder what it reads. */
  function furnish({ key, files, lists }: Service): string {
    const home = join(folder, key)
    if (!existsSync(home)) mkdirSync(home, { recursive: true, mode: 0o700 })
    for (const [name, text] of Object.entries({ ...files, ...lists })) {
      const path = join(home, name)
      writeFileSync(`${path}.part`, text, { mode: 0o600 })
      if (user) chownSync(`${path}.part`, user.uid, user.gid)
      renameSync(`${path}.part`, path)
    }
    if (user) {
      chownSync(home, 0, user.gid)
      chmodSync(home, 0o750)
    }
    return home
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
    const said = await runProgram([...capsule().enter(), 'sh'], `${script.join('\n')}\n`)
    for (const [, key = '', pid] of said.matchAll(/^(\S+) (\d+)$/gm)) {
      const service = services.find((it) => it.key === key)
      const process = identify(Number(pid))
      if (!service || !process) {
        faults.set(key, (await lastWords(join(folder, key, 'log'))) ?? 'it ended at once')
        continue
      }
      kept.set(key, { process, digest: digestOf(service), lists: service.lists, since: new Date().toISOString() })
      endWithCapsule(capsule().folder, process.pid, service.program)
    }
    write()
    return faults
  }

  return {
    async keep(services) {
      wanted = services
      const keys = new Set(services.map(({ key }) => key))
      const gone = [...kept].filter(([key]) => !keys.has(key))
      const stale: Service[] = []
      const ending: ProcessId[] = gone.map(([, { process }]) => process)
      for (const service of services) {
        const known = kept.get(service.key)
        if (!known || !isAlive(known.process)) stale.push(service)
        else if (known.digest !== digestOf(service) || isLess(known.lists, service.lists)) {
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
      return start(stale)
    },
    async look() {
      const fallen = wanted.filter(({ key }) => !kept.has(key) || !isAlive(kept.get(key)!.process))
      for (const { key } of fallen) {
        const fault = await lastWords(join(folder, key, 'log'))
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

/** Processes that an earlier server kept for networks, as far as it was written down. */
export const servicesIn = (folder: string): ProcessId[] =>
  Object.values(readKept(join(folder, recordName))).map(({ process }) => process)

const recordName = 'services.json'

function readKept(file: string): Record<string, Kept> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Kept>
  } catch {
    return {}
  }
}

const digestOf = ({ space, program, args, files }: Service) =>
  createHash('sha256')
    .update(JSON.stringify([space, program, args, files]))
    .digest('hex')

/** Whether a line was taken out: what was given out of it is forgotten by another process only. */
function isLess(before: Record<string, string>, after: Record<string, string>): boolean {
  return Object.entries(before).some(([name, text]) => {
    const now = new Set((after[name] ?? '').split('\n'))
    return text.split('\n').some((line) => !now.has(line))
  })
}
