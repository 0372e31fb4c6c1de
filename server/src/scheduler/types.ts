import type { JobStart } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { Job } from '../tasks/job'
import type { Times } from './times'

/** When a plan runs, and what happens to a run that could not start within a minute of its time. */
export interface Plan extends Times {
  /** `once`: one run starts as soon as possible, however many were missed. `skip`: missed runs are dropped. */
  missed: 'once' | 'skip'
}

/** A job that runs at planned times. */
export interface Schedule<Args = unknown> {
  /** Unique name: `audit.retention`, `storage.backup_plan`. */
  name: string
  job: Pick<Job<Args>, 'name' | 'args'>
  /**
   * The only plan of an internal job, which is never shown as a task. Without it, areas add plans (`Scheduler.put`).
   */
  plan?: Plan
  /** Also runs as soon as a server has started. */
  runsAtStart?: true
}

/** A plan of a schedule, added by an area. */
export interface Planned<Args> extends Plan, Pick<JobStart, 'subject' | 'scope'> {
  /** Unique among the plans of its schedule. */
  id: string
  args: Args
}

/** Starts jobs at planned times. Each run starts once, on any one of several servers. */
export interface Scheduler {
  /** Creates or replaces a plan in the caller's transaction. Throws `validation` for invalid times. */
  put<Args>(db: Transaction<Database>, schedule: Schedule<Args>, planned: Planned<NoInfer<Args>>): Promise<void>
  remove(db: Transaction<Database>, schedule: Pick<Schedule, 'name'>, id: string): Promise<void>
  /** Time of the next run of a plan; null if there is none. */
  next(schedule: Pick<Schedule, 'name'>, id: string): Promise<Date | null>
  /** Starts due runs, now and from then on. */
  start(): Promise<void>
  /** Starts due runs. */
  look(): Promise<void>
  close(): Promise<void>
}
