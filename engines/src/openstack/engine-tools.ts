import { notFound } from '@mainstay/contract/core/problems'
import type { Sight } from '../ports/feed'
import type { Entity, Jobs, Log, Records } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Engine, FollowSteps, FollowUp } from './engine'
import { followedTasks } from './followed-tasks'
import { followHandler, type Patience } from './follow-job'
import type { KindReader, Reading } from './kind-reader'

/** What the tools of an engine are made of. */
export interface EngineToolsOptions {
  reading: Reading
  /** How rows are read, of every kind that tasks follow. */
  readers: readonly KindReader<Entity>[]
  records: Records
  absorb(sights: readonly Sight[]): Promise<void>
  jobs: Jobs
  log: Log
  /** Shorter waits, for tests. */
  patience?: Partial<Patience>
}

/** How commands read what they did, what the index knows, and how tasks follow what the cloud goes on doing. */
export function createEngineTools(
  options: EngineToolsOptions,
): Pick<Engine, 'refresh' | 'known' | 'followUp' | 'alongside'> {
  const { reading, records, absorb, jobs } = options

  const indexed = <Row extends Entity>(kind: string, id: string): Promise<Row | null> =>
    records.transaction((tx) => tx.get<Row>(kind, id))

  /** The row anew, in the index as well; null when it is gone. */
  async function readAnew<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row | null> {
    const seen_at = Date.now()
    const row = (await reader.some(reading, [id])).get(id) ?? null
    const { kind } = reader
    await absorb([row ? { op: 'put', kind, entity: row, seen_at } : { op: 'remove', kind, id, seen_at }])
    return row
  }

  const readers = new Map(options.readers.map((reader) => [reader.kind, reader]))
  const steps = new Map<string, FollowSteps>()
  const { log, patience = {} } = options
  const handler = followHandler({ readers, steps, indexed, readAnew, log, patience })
  for (const name of followedTasks) jobs.handle(name, handler)

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
    followUp: ({ name, subject, until, scope, args = {} }: FollowUp) =>
      records.transaction((tx) => tx.startJob({ name, subject, args: { ...args, until }, scope, inTurn: false })),
    alongside: (name, more) => void steps.set(name, more),
  }
}

/** Whether a scope acts on what belongs to a project: only its own, but a system scope on everything. */
const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)
