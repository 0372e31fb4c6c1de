import { setTimeout as sleep } from 'node:timers/promises'
import type { Entity, JobHandler, JobRun, Log } from '../ports/records'
import type { FollowSteps } from './engine'
import type { KindReader } from './kind-reader'

/** How long a task waits, milliseconds. */
export interface Patience {
  /** Between two looks at the index. */
  look: number
  /** Until the cloud itself is asked, at first and at most. */
  ask: number
  askAtMost: number
  /** A row that is not busy and not gone either is given this long to go. */
  lingering: number
  /** Without any change of the row. */
  quiet: number
}
const patient: Patience = { look: 300, ask: 1_000, askAtMost: 10_000, lingering: 10_000, quiet: 60 * 60_000 }

interface Tools {
  readers: ReadonlyMap<string, KindReader<Entity>>
  /** What tasks do besides, by their names. */
  steps: ReadonlyMap<string, FollowSteps>
  indexed(kind: string, id: string): Promise<Entity | null>
  readAnew(reader: KindReader<Entity>, id: string): Promise<Entity | null>
  log: Log
  patience: Partial<Patience>
}

/**
 * Follows a row until it has settled, or is gone. What the feed writes is seen soon; the cloud is asked as well, so
 * that the task ends also where nobody announces anything. Begun anew it simply goes on looking.
 */
export function followHandler({ readers, steps, indexed, readAnew, log, patience }: Tools): JobHandler {
  const waits = { ...patient, ...patience }
  return {
    async run(job) {
      const { kind, id } = job.subject
      const reader = readers.get(kind)
      if (!reader) throw new Error(`This cloud has no reader of "${kind}"`)
      // what the index has may be older than the command, so the first look is at the cloud
      let asked = await ask(job, reader)
      let [askAt, askEvery] = [Date.now() + waits.ask, waits.ask]
      const watch = watchRow()
      for (;;) {
        job.signal.throwIfAborted()
        const row = await indexed(kind, id)
        const quietMs = watch.unchangedMs(row)
        if (asked && isOver(job, row, reader, quietMs >= waits.lingering)) return steps.get(job.name)?.after?.(job)
        if (quietMs >= waits.quiet) throw new Error('Nothing happened for too long; the cloud may still go on with it')
        if (row) await steps.get(job.name)?.meanwhile?.(job, row)
        if (typeof row?.['progress'] === 'number') job.progress(row['progress'])
        await sleep(waits.look, undefined, { signal: job.signal })
        if (Date.now() < askAt) continue
        asked = (await ask(job, reader)) || asked
        askEvery = Math.min(askEvery * 1.5, waits.askAtMost)
        askAt = Date.now() + askEvery
      }
    },
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

function watchRow(): { unchangedMs(row: Entity | null): number } {
  let last: string | null = null
  let since = Date.now()
  return {
    unchangedMs(row) {
      const text = JSON.stringify(row)
      if (text !== last) [last, since] = [text, Date.now()]
      return Date.now() - since
    },
  }
}
