import type {
  AskPerson,
  JobHandler,
  JobPool,
  JobRun,
  JobStart,
  RecordsTransaction,
  RunAgain,
  Step,
  StepParts,
  SteppedHandler,
} from '@mainstay/engines/ports/records'
import type * as z from 'zod'

/** A run of a job whose arguments have been read. */
export type RunOf<Args> = Omit<JobRun, 'args'> & { args: Args }

/** A step of a job whose arguments have been read; see `Step`. */
export interface StepOf<Args = unknown, Tools = never> extends Pick<Step<JobRun>, 'name' | 'weight' | 'endsItself'> {
  run(run: RunOf<Args> & StepParts, tools: Tools): Promise<void | RunAgain | AskPerson>
  undo?(run: RunOf<Args> & StepParts, tools: Tools): Promise<void | RunAgain>
}

/** What every job of the server's own declares. */
interface JobParts<Args, Tools> {
  /** `storage.backup.create`: of the job and of its task. */
  name: string
  /** What it is begun with, kept as JSON; never a secret. */
  args: z.ZodType<Args>
  /** `interactive` unless it says otherwise. */
  pool?: JobPool
  onFailure?(run: RunOf<Args>, error: unknown, tools: Tools): Promise<void>
}

/** A job of the server's own, as an area declares it; see `JobHandler` for what it has to stand. */
export interface Job<Args = unknown, Tools = never> extends JobParts<Args, Tools> {
  /** Answers the task's result, or `RunAgain`. */
  run(run: RunOf<Args>, tools: Tools): Promise<unknown>
}

/** A job of the server's own that is made of steps; see `SteppedHandler` for what they have to stand. */
export interface SteppedJob<Args = unknown, Tools = never> extends JobParts<Args, Tools> {
  steps: readonly StepOf<Args, Tools>[]
  /** The task's result, from what the steps kept; null where left out. */
  result?: SteppedHandler['result']
}

/** Begins a job in the caller's transaction. Answers its task's id. */
export const enqueue = <Args>(
  records: Pick<RecordsTransaction, 'startJob'>,
  { name, steps }: { name: string; args: z.ZodType<Args>; steps?: readonly { name: string }[] | undefined },
  start: Omit<JobStart, 'name' | 'args' | 'steps'> & { args: NoInfer<Args> },
): Promise<string> =>
  records.startJob({
    ...start,
    name,
    args: start.args as Record<string, unknown>,
    ...(steps && { steps: steps.map((step) => step.name) }),
  })

/** What the job runner is given of a job. */
export function handlerOf<Args, Tools>(job: Job<Args, Tools>, tools: () => Tools): JobHandler
export function handlerOf<Args, Tools>(
  job: Job<Args, Tools> | SteppedJob<Args, Tools>,
  tools: () => Tools,
): JobHandler | SteppedHandler
export function handlerOf<Args, Tools>(
  job: Job<Args, Tools> | SteppedJob<Args, Tools>,
  tools: () => Tools,
): JobHandler | SteppedHandler {
  const { args, pool, onFailure } = job
  const read = <Run extends JobRun>(given: Run): (Omit<Run, 'args'> & { args: Args }) | null => {
    const known = args.safeParse(given.args)
    return known.success ? { ...given, args: known.data } : null
  }
  const readable = <Run extends JobRun>(given: Run): Omit<Run, 'args'> & { args: Args } => {
    const known = read(given)
    if (!known) throw new Error(`${given.name} does not take what it was begun with`)
    return known
  }
  const rest = {
    ...(pool && { pool }),
    ...(onFailure && {
      async onFailure(given: JobRun, error: unknown) {
        const known = read(given)
        // otherwise nothing was done
        if (known) await onFailure(known, error, tools())
      },
    }),
  }
  if (!('steps' in job)) return { ...rest, run: async (given) => job.run(readable(given), tools()) }
  return {
    ...rest,
    ...(job.result && { result: job.result }),
    steps: job.steps.map(({ name, weight, endsItself, run, undo }) => ({
      name,
      ...(weight !== undefined && { weight }),
      ...(endsItself !== undefined && { endsItself }),
      run: async (given: JobRun & StepParts) => run(readable(given), tools()),
      ...(undo && { undo: async (given: JobRun & StepParts) => undo(readable(given), tools()) }),
    })),
  }
}
