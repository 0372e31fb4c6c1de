import type { JobHandler, JobPool, JobRun, JobStart, RecordsTransaction } from '@mainstay/engines/ports/records'
import type * as z from 'zod'

/** A run of a job whose arguments have been read. */
export type RunOf<Args> = Omit<JobRun, 'args'> & { args: Args }

/** A job of the server's own, as an area declares it; see `JobHandler` for what it has to stand. */
export interface Job<Args = unknown, Tools = never> {
  /** `storage.backup.create`: of the job and of its task. */
  name: string
  /** What it is begun with, kept as JSON; never a secret. */
  args: z.ZodType<Args>
  /** `interactive` unless it says otherwise. */
  pool?: JobPool
  /** Answers the task's result, or `RunAgain`. */
  run(run: RunOf<Args>, tools: Tools): Promise<unknown>
  onFailure?(run: RunOf<Args>, error: unknown, tools: Tools): Promise<void>
}

/** Begins a job in the caller's transaction. Answers its task's id. */
export const enqueue = <Args>(
  records: Pick<RecordsTransaction, 'startJob'>,
  { name }: Pick<Job<Args>, 'name' | 'args'>,
  start: Omit<JobStart, 'name' | 'args'> & { args: NoInfer<Args> },
): Promise<string> => records.startJob({ ...start, name, args: start.args as Record<string, unknown> })

/** What the job runner is given of a job. */
export function handlerOf<Args, Tools>(
  { args, pool, run, onFailure }: Job<Args, Tools>,
  tools: () => Tools,
): JobHandler {
  const read = (given: JobRun): RunOf<Args> | null => {
    const known = args.safeParse(given.args)
    return known.success ? { ...given, args: known.data } : null
  }
  return {
    ...(pool && { pool }),
    async run(given) {
      const readable = read(given)
      if (!readable) throw new Error(`${given.name} does not take what it was begun with`)
      return run(readable, tools())
    },
    ...(onFailure && {
      async onFailure(given: JobRun, error: unknown) {
        const readable = read(given)
        // otherwise nothing was done
        if (readable) await onFailure(readable, error, tools())
      },
    }),
  }
}
