import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { Observation } from '../ports/feed'
import type { CommandJobs, Entity, JobStart, Log, Records } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from './engine'
import { allFollowedTasks, type FollowedTask } from './followed-tasks'
import { fingerprint, followHandler, type Patience } from './follow-job'
import type { KindReader, Reading } from './kind-reader'

/** What the tools of an engine are made of. */
export interface EngineToolsOptions {
  reading: Reading
  /** How rows are read, of every kind that tasks follow. */
  readers: readonly KindReader<Entity>[]
  /** What is followed here; every task that there is where left out. */
  tasks?: readonly FollowedTask[]
  records: Records
  applyObservations(observations: readonly Observation[]): Promise<void>
  jobs: CommandJobs
  log: Log
  /** Shorter waits, for tests. */
  patience?: Partial<Patience>
}

/** How commands read what they did, what the index knows, and how tasks follow what the cloud goes on doing. */
export function createEngineTools(
  options: EngineToolsOptions,
): Pick<Engine, 'refresh' | 'known' | 'trackToCompletion' | 'command' | 'registerTaskSteps'> {
  const { reading, records, applyObservations, jobs } = options

  const indexed = <Row extends Entity>(kind: string, id: string): Promise<Row | null> =>
    records.transaction((tx) => tx.get<Row>(kind, id))

  /** The row anew, in the index as well; null when it is gone. */
  async function readAnew<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row | null> {
    const observed_at = Date.now()
    const row = (await reader.some(reading, [id])).get(id) ?? null
    const { kind } = reader
    await applyObservations([
      row ? { op: 'put', kind, entity: row, observed_at } : { op: 'remove', kind, id, observed_at },
    ])
    return row
  }

  const readers = new Map(options.readers.map((reader) => [reader.kind, reader]))
  const steps = new Map<string, TaskSteps>()
  const { tasks = allFollowedTasks, log, patience = {} } = options
  const begin = async (followed: readonly TrackedTask[]): Promise<void> => {
    await records.transaction(async (tx) => {
      for (const one of followed) await tx.startJob(jobOf(one))
    })
  }
  const handler = followHandler({ readers, steps, indexed, readAnew, begin, log, patience })
  for (const name of tasks) jobs.handle(name, handler)

  return {
    async refresh<Row extends Entity>(reader: KindReader<Row>, id: string) {
      const row = await readAnew(reader, id)
      if (!row) throw notFound()
      return row
    },
    async known<Row extends Entity & { project_id: string }>(kind: string, scope: Scope, id: string) {
      const row = await indexed<Row>(kind, id)
      if (!row || !actsOn(scope, row.project_id)) throw notFound()
      return row
    },
    trackToCompletion: (followed) => records.transaction((tx) => tx.startJob(jobOf(followed))),
    async command<Result>(
      meant: TrackedTask,
      send: (intent: string) => Promise<Result>,
      follows: (result: Result) => TrackedTask[] = () => [meant],
    ) {
      const { kind, id } = meant.subject
      const before = fingerprint(await indexed(kind, id))
      const intent = await jobs.prepare(jobOf({ ...meant, args: { ...meant.args, before } }))
      let result: Result
      try {
        result = await send(intent.id)
      } catch (error) {
        // what the cloud refused was not done; otherwise nobody knows
        const end = error instanceof Problem && error.status < 500 ? intent.withdraw() : intent.leave()
        await end.catch((err: unknown) => log.warn({ err, intent: intent.id }, 'an intent is looked after later'))
        throw error
      }
      // the cloud has taken it: where this cannot be written down, the intent finds that out
      await intent
        .done(follows(result).map(jobOf))
        .catch((err: unknown) => log.warn({ err, intent: intent.id }, 'a command is followed a little later'))
      return result
    },
    registerTaskSteps: (name, more) => void steps.set(name, more),
  }
}

const jobOf = ({ name, subject, until, scope, args = {} }: TrackedTask): JobStart => ({
  ...{ name, subject, scope, serial: false },
  args: { ...args, until },
})

/** Whether a scope acts on what belongs to a project: only its own, but a system scope on everything. */
const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)
