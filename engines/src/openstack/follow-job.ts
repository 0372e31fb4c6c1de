import { createHash } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { isRunAgain, type Entity, type JobHandler, type JobRun, type Log, type RunAgain } from '../ports/records'
import type { TaskSteps, TrackedTask } from './engine'
import type { FollowedTask } from './followed-tasks'
import type { KindReader } from './kind-reader'

/** How long a task waits, milliseconds. */
export interface Patience {
  /** Between two looks at the index, at first and at most. */
  look: number
  lookAtMost: number
  /** Until the cloud itself is asked, at first and at most. */
  ask: number
  askAtMost: number
  /** A row that is not busy and not gone either is given this long to go. */
  lingering: number
  /** Without any change of the row. */
  quiet: number
  /** A command of which nothing is to be seen may still be on its way for so long. */
  trace: number
}
const patient: Patience = {
  look: 300,
  lookAtMost: 2_000,
  ask: 1_000,
  askAtMost: 10_000,
  lingering: 10_000,
  quiet: 60 * 60_000,
  trace: 20_000,
}

interface Tools {
  readers: ReadonlyMap<string, KindReader<Entity>>
  /** What tasks do besides, by their names. */
  steps: ReadonlyMap<string, TaskSteps>
  indexed(kind: string, id: string): Promise<Entity | null>
  readAnew(reader: KindReader<Entity>, id: string): Promise<Entity | null>
  begin(followed: readonly TrackedTask[]): Promise<void>
  log: Log
  patience: Partial<Patience>
}

/** What one look leaves for the next one; times are those of the job. */
interface Following {
  /** The cloud has told how the row is, since the command. */
  asked: boolean
  askAt: number
  askEvery: number
  lookEvery: number
  /** The row as it was last, and since when it has been so. */
  row: string | null
  since: number
  /** What the step at the end has left, and since when it waits. */
  after: Record<string, unknown>
  afterSince: number | null
}

/**
 * Follows a row until it has settled, or is gone: one look a run, and a wait until the next. What the feed writes is
 * seen soon; the cloud is asked as well, so that the task ends also where nobody announces anything.
 */
export function followHandler({ readers, steps, indexed, readAnew, begin, log, patience }: Tools): JobHandler {
  const waits = { ...patient, ...patience }
  return {
    pool: 'follow',
    async run(job) {
      const { kind, id } = job.subject
      const reader = readers.get(kind)
      if (!reader) throw new Error(`This cloud has no reader of "${kind}"`)
      job.signal.throwIfAborted()
      if (job.prepared) return findOut(job, reader)
      const seen: Following = { ...begun(job, waits), ...job.state }
      // what the index has may be older than the command, so the first look is at the cloud
      if (job.time >= seen.askAt) {
        seen.asked = (await ask(job, reader)) || seen.asked
        seen.askAt = job.time + seen.askEvery
        seen.askEvery = Math.min(seen.askEvery * 1.5, waits.askAtMost)
      }
      const row = await indexed(kind, id)
      const quietMs = unchangedMs(seen, row, job.time)
      let wait = seen.lookEvery
      if (seen.asked && isOver(job, row, reader, quietMs >= waits.lingering)) {
        const outcome = await steps
          .get(job.name)
          ?.onSettled?.({ ...job, state: seen.after, since: (seen.afterSince ??= job.time) })
        if (!isRunAgain(outcome)) return job.args['until'] === 'gone' ? null : { id }
        seen.after = outcome.state ?? {}
        wait = outcome.again
      } else {
        if (quietMs >= waits.quiet) throw new Error('Nothing happened for too long; the cloud may still go on with it')
        if (row) await steps.get(job.name)?.whilePending?.(job, row)
        if (typeof row?.['progress'] === 'number') job.progress(row['progress'])
      }
      seen.lookEvery = Math.min(seen.lookEvery * 1.25, waits.lookAtMost)
      return { again: wait, state: { ...seen } }
    },
  }

  /** What came of a command whose sender died, or was not told: the tasks that follow it, or that nothing did. */
  async function findOut(job: JobRun, reader: KindReader<Entity>): Promise<RunAgain | null> {
    const step = steps.get(job.name)
    const later = { again: waits.ask }
    let found: TrackedTask[] | boolean
    try {
      found = await (step?.find ?? ((intent: JobRun) => hasChanged(intent, reader)))(job)
      if (found === true) found = [followUpOf(job)]
      if (found) {
        await begin(found)
        return null
      }
      if (job.time - job.since < waits.trace) return later
      await step?.undo?.(job)
    } catch (error) {
      log.debug({ error, task_id: job.task_id }, 'the cloud could not be asked what came of a command')
      if (job.time - job.since >= waits.quiet) throw error
      return later
    }
    if (job.args['told']) return null
    throw problem('core.stopped_before_cloud')
  }

  async function hasChanged({ subject, args }: JobRun, reader: KindReader<Entity>): Promise<boolean> {
    const row = await readAnew(reader, subject.id)
    if (!row) return args['until'] === 'gone'
    return reader.isBusy(row) || (args['until'] !== 'gone' && fingerprint(row) !== args['before'])
  }

  /** Whether the cloud told how the row is now. */
  async function ask({ subject, task_id }: JobRun, reader: KindReader<Entity>): Promise<boolean> {
    try {
      await readAnew(reader, subject.id)
      return true
    } catch (error) {
      log.debug({ error, task_id }, 'the cloud could not be asked how far a task is')
      return false
    }
  }
}

/** Throws why it came to nothing. */
function isOver({ args }: JobRun, row: Entity | null, reader: KindReader<Entity>, lingers: boolean): boolean {
  const untilGone = args['until'] === 'gone'
  if (!row) {
    if (untilGone) return true
    throw new Error('It was deleted meanwhile')
  }
  if (reader.isBusy(row)) return false
  const failed = /^error/i.test(String(row['status']))
  // what is deleted may have been in error before
  if (untilGone && !lingers) return false
  if (failed) throw new Error(faultOf(row))
  if (untilGone) throw new Error('The cloud did not delete it')
  return true
}

function faultOf({ status, fault }: Entity): string {
  if (typeof fault === 'string' && fault !== '') return fault
  const message: unknown = (fault as { message?: unknown } | null | undefined)?.message
  return typeof message === 'string' && message !== '' ? message : `The cloud says "${String(status)}", and not why`
}

/** What an intent was to be followed by. */
function followUpOf({ name, subject, scope, args }: JobRun): TrackedTask {
  const { until, before: _, told: __, ...rest } = args
  return { name: name as FollowedTask, subject, scope, until: until as TrackedTask['until'], args: rest }
}

/** Tells whether a row has changed. */
export const fingerprint = (row: Entity | null): string =>
  createHash('sha256').update(JSON.stringify(row)).digest('base64')

const begun = ({ time }: JobRun, { ask, look }: Patience): Following => ({
  asked: false,
  askAt: time,
  askEvery: ask,
  lookEvery: look,
  row: null,
  since: time,
  after: {},
  afterSince: null,
})

/** How long the row has been as it is; notes it where it has changed. */
function unchangedMs(seen: Following, row: Entity | null, time: number): number {
  const text = fingerprint(row)
  if (text !== seen.row) [seen.row, seen.since] = [text, time]
  return time - seen.since
}
