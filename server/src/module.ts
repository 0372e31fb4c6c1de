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

/** What an area has open as long as the server runs. */
export interface OpenModule<Own extends object = object> {
  /** What handlers and jobs have of it among their tools, by name. */
  tools?: Own
  /** Secrets that it keeps in the database: no problem report may tell them. */
  secrets?(): Promise<Secret[]>
  close?(): Promise<void>
}

/** What an area of the product brings to the server. `Own`: its long-lived parts. */
export interface Module<Own extends object = object> {
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
  /** Makes its first rows where they are missing: at each start, after those of the engines. */
  seed?(tools: Pick<CoreTools, 'inventory'>): Promise<void>
  /** Opens what lives as long as the server, before jobs and calls begin. */
  open?(tools: CoreTools): OpenModule<Own>
  /** Hears that sign-ins as a user have begun to wait. */
  onLocked?(who: LockedUser, tools: Pick<CoreTools, 'inventory' | 'log'>): Promise<void>
  /** Removes the keys of a person that are no tokens of the server, when all of their access ends. */
  removeKeys?(user: { id: string; domain_id: string }, tools: Pick<CoreTools, 'areas' | 'ports'>): Promise<void>
}

/** Declares what an area brings. */
export const module = <Own extends object = object>(parts: Module<Own>): Module<Own> => parts

/** Declares a job of the server's own; what it is begun with is read by `args` before each run. */
export function job<Args>(definition: ServerJob<Args>): ServerJob<Args>
export function job<Args>(definition: ServerSteps<Args>): ServerSteps<Args>
export function job<Args>(definition: ServerJob<Args> | ServerSteps<Args>): ServerJob<Args> | ServerSteps<Args> {
  return definition
}

/** Declares what is done at planned times. */
export const schedule = <Args>(definition: ServerSchedule<Args>): ServerSchedule<Args> => definition

/** What all modules have open. */
export interface OpenModules {
  /** Their parts by name. */
  tools: object
  /** The secrets that they keep. */
  secrets(): Promise<Secret[]>
  /** Closes the module that was opened last first. */
  close(): Promise<void>
}

/** Opens the long-lived parts of modules, in the order of the list. */
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
