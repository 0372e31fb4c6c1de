import { access, constants, statfs } from 'node:fs/promises'
import type { EnginePart } from '@mainstay/contract/infrastructure/engines'
import { MiB } from '@mainstay/contract/core/bytes'
import type { ComposedEngine } from '@mainstay/engines/ports/engine'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { EngineStates } from '../inventory/engine-states'
import type { Store } from '../store/store'

/** If a due task has not started after this time, no server is running tasks. */
const TASKS_LATE_SECONDS = 60
/** With less free space than this, images and volumes are refused. */
const LEAST_FREE_MIB = 512

/** State of each part of the platform: whether it works, since when, and the reason if it does not. */
export interface PlatformParts {
  all(): Promise<EnginePart[]>
}

interface Fault {
  message: string
  /** When the failure started; defaults to now. */
  since?: Date
}

const faultOf = (error: unknown): Fault => ({ message: error instanceof Error ? error.message : String(error) })

export function createPlatformParts(tools: {
  store: Pick<Store, 'down'>
  sql: Sql
  engineStates: Pick<EngineStates, 'all'>
  engines: readonly Pick<ComposedEngine, 'area' | 'missing'>[]
  dataFolder: string
}): PlatformParts {
  const { store, sql, engineStates, engines, dataFolder } = tools
  const known = new Map<string, { reachable: boolean; since: string }>()

  /** Returns the state of a part, and remembers when it last changed. */
  function part(name: string, fault: Fault | null): EnginePart {
    const before = known.get(name)
    const reachable = fault === null
    const since = before?.reachable === reachable ? before.since : (fault?.since ?? new Date()).toISOString()
    known.set(name, { reachable, since })
    return { name, reachable, since, message: fault?.message ?? null }
  }

  async function tasksFault(): Promise<Fault | null> {
    const [late] = await sql.query<{ count: number; since: Date | null }>(
      `select count(*) as count, min(greatest(not_before, created_at)) as since from job waiting
        where (lease_until is null or lease_until < now())
          and greatest(not_before, created_at) < now() - make_interval(secs => $1)
          and not exists (
            select from job earlier
            where earlier.subject_key = waiting.subject_key and earlier.number < waiting.number)`,
      [TASKS_LATE_SECONDS],
    )
    if (!late?.since) return null
    return { message: `${late.count} tasks are due but were not started`, since: late.since }
  }

  async function filesFault(): Promise<Fault | null> {
    try {
      await access(dataFolder, constants.W_OK)
      const { bavail, bsize } = await statfs(dataFolder)
      const freeMiB = Math.floor((bavail * bsize) / MiB)
      if (freeMiB >= LEAST_FREE_MIB) return null
      return { message: `${freeMiB} MiB of disk space are free. Below ${LEAST_FREE_MIB} MiB, nothing is stored` }
    } catch (error) {
      return faultOf(error)
    }
  }

  /** One part per engine. For a cloud, the parts reported by the server that follows it. */
  async function engineParts(): Promise<EnginePart[]> {
    const states = await engineStates.all()
    return engines.flatMap(({ area, missing }) => {
      const [message] = Object.values(missing)
      if (message !== undefined) return [part(area, { message })]
      const parts = states.find(({ name }) => name === area)?.parts ?? []
      return parts.length > 0 ? parts : [part(area, null)]
    })
  }

  return {
    async all() {
      const [away, files] = await Promise.all([store.down(), filesFault()])
      const database = part('database', away && { message: away.reason, since: away.since })
      const filesPart = part('files', files)
      if (away) return [database, filesPart]
      // a part that cannot be checked is reported as failing instead of being left out
      const [engine, tasks] = await Promise.all([
        engineParts().catch((error: unknown) => engines.map(({ area }) => part(area, faultOf(error)))),
        tasksFault().catch(faultOf),
      ])
      return [database, ...engine, part('tasks', tasks), filesPart]
    },
  }
}
