import type { Kind } from '@mainstay/contract/core/kind'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { Served } from './http/serve'
import type { LockedUser } from './session/authenticators'
import type { Schedule } from './scheduler/types'
import type { Job, SteppedJob } from './tasks/job'
import type { CoreTools, Tools } from './tools'

type ServerJob<Args = unknown> = Job<Args, Tools>
type ServerSteps<Args = unknown> = SteppedJob<Args, Tools>
type ServerSchedule<Args = unknown> = Schedule<Args> & { job: ServerJob<Args> }

/** The parts of an area that stay open while the server runs. */
export interface OpenModule<Own extends object = object> {
  /** Tools that the area provides to handlers and jobs, by name. */
  tools?: Own
  /** Secrets that the area stores in the database. Problem reports must not contain them. */
  secrets?(): Promise<Secret[]>
  close?(): Promise<void>
}

/** An area of the product. `Own`: the tools that it provides. */
export interface Module<Own extends object = object> {
  /** API calls of the area, grouped by resource. */
  routes: readonly (readonly Served[])[]
  /** Audit actions of the area, in addition to its calls: `s3_bucket.create`. */
  activities?: readonly string[]
  /** Kinds that the server itself owns, regardless of the engines in use. */
  kinds?: readonly Kind[]
  /** Background jobs of the area, except scheduled ones. */
  jobs?: readonly (ServerJob | ServerSteps)[]
  /** Schedules of the area. */
  schedules?: readonly ServerSchedule[]
  /** Creates initial rows if they are missing. Runs at each start, after the engines have created theirs. */
  seed?(tools: Pick<CoreTools, 'inventory'>): Promise<void>
  /** Opens the area's long-lived parts, before jobs and calls start. */
  open?(tools: CoreTools): OpenModule<Own>
  /** Called when failed attempts start to delay a user's sign-ins. */
  onLocked?(who: LockedUser, tools: Pick<CoreTools, 'inventory' | 'log'>): Promise<void>
  /** Called when a user loses all access. Removes the user's keys that are not tokens issued by the server. */
  removeKeys?(user: { id: string; domain_id: string }, tools: Pick<CoreTools, 'areas' | 'ports'>): Promise<void>
}

/** Declares an area. */
export const module = <Own extends object = object>(parts: Module<Own>): Module<Own> => parts

/** Declares a server job. `args` validates its arguments before each run. */
export function job<Args>(definition: ServerJob<Args>): ServerJob<Args>
export function job<Args>(definition: ServerSteps<Args>): ServerSteps<Args>
export function job<Args>(definition: ServerJob<Args> | ServerSteps<Args>): ServerJob<Args> | ServerSteps<Args> {
  return definition
}

/** Declares a scheduled job. */
export const schedule = <Args>(definition: ServerSchedule<Args>): ServerSchedule<Args> => definition

/** The open parts of all modules. */
export interface OpenModules {
  /** The tools of all modules, by name. */
  tools: object
  /** The secrets that the modules store in the database. */
  secrets(): Promise<Secret[]>
  /** Closes the modules in reverse order. */
  close(): Promise<void>
}

/** Opens the long-lived parts of the modules, in list order. */
export function openModules(modules: readonly Module[], tools: CoreTools): OpenModules {
  const opened = modules.flatMap((one) => one.open?.(tools) ?? [])
  return {
    tools: Object.assign({}, ...opened.map((one) => one.tools)) as object,
    secrets: async () => (await Promise.all(opened.flatMap((one) => one.secrets?.() ?? []))).flat(),
    async close() {
      for (const one of opened.toReversed()) await one.close?.()
    },
  }
}
