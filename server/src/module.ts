import type { Kind } from '@mainstay/contract/core/kind'
import type { Served } from './http/serve'
import type { Schedule } from './scheduler/types'
import type { Job, SteppedJob } from './tasks/job'
import type { Tools } from './tools'

type ServerJob<Args = unknown> = Job<Args, Tools>
type ServerSteps<Args = unknown> = SteppedJob<Args, Tools>
type ServerSchedule<Args = unknown> = Schedule<Args> & { job: ServerJob<Args> }

/** What an area of the product brings to the server. */
export interface Module {
  /** Its calls, by resource. */
  routes: readonly (readonly Served[])[]
  /** What the audit log may say of it beside its calls: `s3_bucket.create`. */
  activities?: readonly string[]
  /** Kinds of which the server itself is the source, beside whichever engine. */
  kinds?: readonly Kind[]
  /** What it does in the background, beside the jobs of its schedules. */
  jobs?: readonly (ServerJob | ServerSteps)[]
  /** What it does at planned times. */
  schedules?: readonly ServerSchedule[]
}

/** Declares what an area brings. */
export const module = (parts: Module): Module => parts

/** Declares a job of the server's own; what it is begun with is read by `args` before each run. */
export function job<Args>(definition: ServerJob<Args>): ServerJob<Args>
export function job<Args>(definition: ServerSteps<Args>): ServerSteps<Args>
export function job<Args>(definition: ServerJob<Args> | ServerSteps<Args>): ServerJob<Args> | ServerSteps<Args> {
  return definition
}

/** Declares what is done at planned times. */
export const schedule = <Args>(definition: ServerSchedule<Args>): ServerSchedule<Args> => definition
