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

/** A run of a job with parsed arguments. */
export type RunOf<Args> = Omit<JobRun, 'args'> & { args: Args }

/** A step of a job with parsed arguments; see `Step`. */
export interface StepOf<Args = unknown, Tools = never> extends Pick<Step<JobRun>, 'name' | 'weight' | 'endsItself'> {
  run(run: RunOf<Args> & StepParts, tools: Tools): Promise<void | RunAgain | AskPerson>
  undo?(run: RunOf<Args> & StepParts, tools: Tools): Promise<void | RunAgain>
}

/** Parts that all of the server's own jobs have in common. */
interface JobParts<Args, Tools> {
  /** Name of both the job and its task, such as `storage.backup.create`. */
  name: string
  /** Schema of the arguments, which are stored as JSON and must not contain secrets. */
  args: z.ZodType<Args>
  /** Pool in which the job runs; `interactive` by default. */
  pool?: JobPool
  onFailure?(run: RunOf<Args>, error: unknown, tools: Tools): Promise<void>
}

/** One of the server's own jobs, as declared by an area. For its requirements, see `JobHandler`. */
export interface Job<Args = unknown, Tools = never> extends JobParts<Args, Tools> {
  /** Returns the task's result or `RunAgain`. */
  run(run: RunOf<Args>, tools: Tools): Promise<unknown>
}

/** One of the server's own jobs that consists of steps. For the requirements on steps, see `SteppedHandler`. */
export interface SteppedJob<Args = unknown, Tools = never> extends JobParts<Args, Tools> {
  steps: readonly StepOf<Args, Tools>[]
  /** Computes the task's result from the values that the steps kept. Default: null. */
  result?: SteppedHandler['result']
}

/** Starts a job in the caller's transaction. Returns the task ID. */
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

/** Creates a handler for the job runner. */
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
    if (!known) throw new Error(`${given.name} does not accept its stored arguments`)
    return known
  }
  const rest = {
    ...(pool && { pool }),
    ...(onFailure && {
      async onFailure(given: JobRun, error: unknown) {
        const known = read(given)
        // a job with invalid arguments has not done any work
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
