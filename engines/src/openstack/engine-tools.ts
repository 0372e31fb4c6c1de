import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { Observation } from '../ports/feed'
import type { CommandJobs, Entity, JobStart, Log, Records } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from './engine'
import { allFollowedTasks, type FollowedTask } from './followed-tasks'
import { fingerprint, followHandler, type Patience } from './follow-job'
import type { KindReader, Reading } from './kind-reader'

/** Dependencies of the engine tools. */
export interface EngineToolsOptions {
  reading: Reading
  /** Readers for all kinds that tasks track. */
  readers: readonly KindReader<Entity>[]
  /** Names of the tasks to handle; all by default. */
  tasks?: readonly FollowedTask[]
  records: Records
  applyObservations(observations: readonly Observation[]): Promise<void>
  jobs: CommandJobs
  log: Log
  /** Shorter waits, for tests. */
  patience?: Partial<Patience>
}

/**
 * Creates the parts of the engine that read back changes, look up rows in the index, and track asynchronous commands.
 */
export function createEngineTools(
  options: EngineToolsOptions,
): Pick<Engine, 'refresh' | 'known' | 'trackToCompletion' | 'command' | 'registerTaskSteps'> {
  const { reading, records, applyObservations, jobs } = options

  const indexed = <Row extends Entity>(kind: string, id: string): Promise<Row | null> =>
    records.transaction((tx) => tx.get<Row>(kind, id))

  /** Reads the row and writes it to the index; null if it is gone. */
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
        // a rejected command was not executed; after any other error, its outcome is unknown
        const end = error instanceof Problem && error.status < 500 ? intent.withdraw() : intent.leave()
        await end.catch((err: unknown) => log.warn({ err, intent: intent.id }, 'failed to settle an intent; retrying'))
        throw error
      }
      // the cloud has accepted the command; if recording that fails, the intent is resolved later
      await intent
        .done(follows(result).map(jobOf))
        .catch((err: unknown) => log.warn({ err, intent: intent.id }, 'failed to follow a command; retrying later'))
      return result
    },
    registerTaskSteps: (name, more) => void steps.set(name, more),
  }
}

const jobOf = ({ name, subject, until, scope, args = {}, event, hidden }: TrackedTask): JobStart => ({
  ...{ name, subject, scope, serial: false, ...(event && { event }), ...(hidden && { hidden }) },
  args: { ...args, until },
})

/** Whether a scope may act on a project's objects: a project scope only in its own project, a system scope in all. */
const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)
