import { createHash } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { isRunAgain, type Entity, type JobHandler, type JobRun, type Log, type RunAgain } from '../ports/records'
import type { TaskSteps, TrackedTask } from './engine'
import type { FollowedTask } from './followed-tasks'
import type { KindReader } from './kind-reader'

/** Wait times for tasks, in milliseconds. */
export interface Patience {
  /** Initial and maximum time between checks of the index. */
  look: number
  lookAtMost: number
  /** Initial and maximum time between reads from the cloud. */
  ask: number
  askAtMost: number
  /** How long a row may remain without being busy before its deletion counts as failed. */
  lingering: number
  /** How long a row may stay unchanged before the task fails. */
  quiet: number
  /** How long a command without visible effect may still be in transit to the cloud. */
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
  /** Additional steps by task name. */
  steps: ReadonlyMap<string, TaskSteps>
  indexed(kind: string, id: string): Promise<Entity | null>
  readAnew(reader: KindReader<Entity>, id: string): Promise<Entity | null>
  begin(followed: readonly TrackedTask[]): Promise<void>
  log: Log
  patience: Partial<Patience>
}

/** State of a job between runs. Times are measured on the job's clock. */
interface Following {
  /** Whether the row has been read from the cloud since the command. */
  asked: boolean
  askAt: number
  askEvery: number
  lookEvery: number
  /** Fingerprint of the row, and when the row last changed. */
  row: string | null
  since: number
  /** State of `onSettled`, and when it started waiting. */
  after: Record<string, unknown>
  afterSince: number | null
}

/**
 * Tracks a row until it has settled or is gone, with one check per run. The feed updates the index quickly, but the
 * task also reads from the cloud, so that it completes even without notifications.
 */
export function followHandler({ readers, steps, indexed, readAnew, begin, log, patience }: Tools): JobHandler {
  const waits = { ...patient, ...patience }
  return {
    pool: 'follow',
    async run(job) {
      const { kind, id } = job.subject
      const reader = readers.get(kind)
      if (!reader) throw new Error(`This cloud has no reader for "${kind}"`)
      job.signal.throwIfAborted()
      if (job.prepared) return findOut(job, reader)
      const seen: Following = { ...begun(job, waits), ...job.state }
      // the indexed row may be older than the command, so the first check reads from the cloud
      if (job.time >= seen.askAt) {
        seen.asked = (await ask(job, reader)) || seen.asked
        seen.askAt = job.time + seen.askEvery
        seen.askEvery = Math.min(seen.askEvery * 1.5, waits.askAtMost)
      }
      const row = await indexed(kind, id)
      const step = steps.get(job.name)
      const quietMs = unchangedMs(seen, row, job.time)
      let wait = seen.lookEvery
      if (seen.asked && isOver(job, row, reader, quietMs >= waits.lingering)) {
        const outcome = await step?.onSettled?.({ ...job, state: seen.after, since: (seen.afterSince ??= job.time) })
        if (!isRunAgain(outcome)) return job.args['until'] === 'gone' ? null : { id }
        seen.after = outcome.state ?? {}
        wait = outcome.again
      } else {
        if (quietMs >= (step?.quietMs ?? waits.quiet)) {
          throw new Error('No progress for too long; the cloud may still complete the change')
        }
        if (row) await step?.whilePending?.(job, row)
        if (typeof row?.['progress'] === 'number') job.progress(row['progress'])
      }
      seen.lookEvery = Math.min(seen.lookEvery * 1.25, waits.lookAtMost)
      return { again: wait, state: { ...seen } }
    },
  }

  /** Resolves an intent whose sender died or got no response: starts the tasks that track the command, or undoes it. */
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
      log.debug({ error, task_id: job.task_id }, 'failed to ask the cloud for the result of a command')
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

  /** Returns whether the row could be read from the cloud. */
  async function ask({ subject, task_id }: JobRun, reader: KindReader<Entity>): Promise<boolean> {
    try {
      await readAnew(reader, subject.id)
      return true
    } catch (error) {
      log.debug({ error, task_id }, 'failed to ask the cloud for the progress of a task')
      return false
    }
  }
}

/** Whether the task is complete. Throws the reason if it failed. */
function isOver({ args }: JobRun, row: Entity | null, reader: KindReader<Entity>, lingers: boolean): boolean {
  const untilGone = args['until'] === 'gone'
  if (!row) {
    if (untilGone) return true
    throw new Error('The object was deleted during the task')
  }
  if (reader.isBusy(row)) return false
  const failed = /^error/i.test(String(row['status']))
  // the object may already have been in the error state before its deletion
  if (untilGone && !lingers) return false
  if (failed) throw new Error(faultOf(row))
  if (untilGone) throw new Error('The cloud did not delete the object')
  return true
}

function faultOf({ status, fault }: Entity): string {
  if (typeof fault === 'string' && fault !== '') return fault
  const message: unknown = (fault as { message?: unknown } | null | undefined)?.message
  return typeof message === 'string' && message !== ''
    ? message
    : `The cloud reports the status "${String(status)}" without a reason`
}

/** Returns the task that an intent was meant to start. */
function followUpOf({ name, subject, scope, args }: JobRun): TrackedTask {
  const { until, before: _, told: __, ...rest } = args
  return { name: name as FollowedTask, subject, scope, until: until as TrackedTask['until'], args: rest }
}

/** Returns the hash of a row, to detect changes. */
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

/** Returns the number of milliseconds since the row last changed. */
function unchangedMs(seen: Following, row: Entity | null, time: number): number {
  const text = fingerprint(row)
  if (text !== seen.row) [seen.row, seen.since] = [text, time]
  return time - seen.since
}
