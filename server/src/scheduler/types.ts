import type { JobStart } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { Job } from '../tasks/job'
import type { Times } from './times'

/** When a plan runs, and what happens to runs that could not start within a minute of their planned time. */
export interface Plan extends Times {
  /** `once`: one run starts as soon as possible, no matter how many were missed. `skip`: missed runs are dropped. */
  missed: 'once' | 'skip'
}

/** A job that runs at planned times. */
export interface Schedule<Args = unknown> {
  /** Unique name: `audit.retention`, `storage.backup_plan`. */
  name: string
  job: Pick<Job<Args>, 'name' | 'args'>
  /**
   * The only plan of an internal job, which is never shown as a task. If omitted, areas add plans with `Scheduler.put`.
   */
  plan?: Plan
  /** Also runs as soon as a server has started. */
  runsAtStart?: true
}

/** A plan for a schedule, added by an area. */
export interface Planned<Args> extends Plan, Pick<JobStart, 'subject' | 'scope'> {
  /** Unique among the plans of its schedule. */
  id: string
  args: Args
}

/** Starts jobs at planned times. Each run starts only once, on any of the servers. */
export interface Scheduler {
  /** Creates or replaces a plan in the caller's transaction. Throws a `validation` error if its times are invalid. */
  put<Args>(db: Transaction<Database>, schedule: Schedule<Args>, planned: Planned<NoInfer<Args>>): Promise<void>
  remove(db: Transaction<Database>, schedule: Pick<Schedule, 'name'>, id: string): Promise<void>
  /** Time of a plan's next run; null if there is none. */
  next(schedule: Pick<Schedule, 'name'>, id: string): Promise<Date | null>
  /** Starts due runs now, and continues to do so. */
  start(): Promise<void>
  /** Starts due runs once. */
  look(): Promise<void>
  close(): Promise<void>
}
