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

/** What an area keeps open while the server runs. */
export interface OpenModule<Own extends object = object> {
  /** Tools that it adds for handlers and jobs, by name. */
  tools?: Own
  /** Secrets that it keeps in the database; problem reports must not contain them. */
  secrets?(): Promise<Secret[]>
  close?(): Promise<void>
}

/** An area of the product. `Own`: the tools that it adds. */
export interface Module<Own extends object = object> {
  /** Its API calls, grouped by resource. */
  routes: readonly (readonly Served[])[]
  /** Audit actions besides those of its calls: `s3_bucket.create`. */
  activities?: readonly string[]
  /** Kinds whose source is the server itself, whichever engines are used. */
  kinds?: readonly Kind[]
  /** Background jobs, besides those of its schedules. */
  jobs?: readonly (ServerJob | ServerSteps)[]
  /** Scheduled jobs. */
  schedules?: readonly ServerSchedule[]
  /** Creates initial rows if they are missing. Runs at each start, after the engines have created theirs. */
  seed?(tools: Pick<CoreTools, 'inventory'>): Promise<void>
  /** Opens parts that live as long as the server, before jobs and calls start. */
  open?(tools: CoreTools): OpenModule<Own>
  /** Called when failed attempts start to delay sign-ins of a user. */
  onLocked?(who: LockedUser, tools: Pick<CoreTools, 'inventory' | 'log'>): Promise<void>
  /** Removes keys of a user that are not tokens of the server, when the user loses all access. */
  removeKeys?(user: { id: string; domain_id: string }, tools: Pick<CoreTools, 'areas' | 'ports'>): Promise<void>
}

/** Declares an area. */
export const module = <Own extends object = object>(parts: Module<Own>): Module<Own> => parts

/** Declares a job of the server. `args` validates its arguments before each run. */
export function job<Args>(definition: ServerJob<Args>): ServerJob<Args>
export function job<Args>(definition: ServerSteps<Args>): ServerSteps<Args>
export function job<Args>(definition: ServerJob<Args> | ServerSteps<Args>): ServerJob<Args> | ServerSteps<Args> {
  return definition
}

/** Declares a scheduled job. */
export const schedule = <Args>(definition: ServerSchedule<Args>): ServerSchedule<Args> => definition

/** The open parts of all modules. */
export interface OpenModules {
  /** Their tools, by name. */
  tools: object
  /** Their secrets. */
  secrets(): Promise<Secret[]>
  /** Closes the modules in reverse order. */
  close(): Promise<void>
}

/** Opens the long-lived parts of modules, in list order. */
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
