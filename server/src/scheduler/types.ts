import type { JobStart } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import type { Database } from '../store/schema'
import type { Job } from '../tasks/job'
import type { Times } from './times'

/** When a plan runs, and what becomes of a run that could not begin within a minute of its time. */
export interface Plan extends Times {
  /** `once`: one run is begun as soon as it can, for however many were missed. `skip`: the next one is waited for. */
  missed: 'once' | 'skip'
}

/** What is done by plan: a job of the job runner. */
export interface Schedule<Args = unknown> {
  /** Names it among all: `audit.retention`, `storage.backup_plan`. */
  name: string
  job: Pick<Job<Args>, 'name' | 'args'>
  /** The one plan of what the server does by itself, shown to nobody; without it, areas put plans (`Scheduler.put`). */
  plan?: Plan
  /** It also runs as soon as a server has started, and does not wait for its time. */
  runsAtStart?: true
}

/** One plan of a schedule, as an area puts it. */
export interface Planned<Args> extends Plan, Pick<JobStart, 'subject' | 'scope'> {
  /** Names it among the plans of its schedule. */
  id: string
  args: Args
}

/** Begins jobs at planned times: each run once, whichever of several servers begins it. */
export interface Scheduler {
  /** Makes or replaces a plan, in the caller's transaction. Throws `validation` for times that are none. */
  put<Args>(db: Transaction<Database>, schedule: Schedule<Args>, planned: Planned<NoInfer<Args>>): Promise<void>
  remove(db: Transaction<Database>, schedule: Pick<Schedule, 'name'>, id: string): Promise<void>
  /** When a plan runs next; null where it does not. */
  next(schedule: Pick<Schedule, 'name'>, id: string): Promise<Date | null>
  /** Begins what is due, now and from now on. */
  start(): Promise<void>
  /** Begins what is due. */
  look(): Promise<void>
  close(): Promise<void>
}
