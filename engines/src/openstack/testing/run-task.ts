import { setTimeout as sleep } from 'node:timers/promises'
import { isRunAgain, type JobHandler, type JobStart } from '../../ports/records'

/** Runs a job until it is complete, including reruns, like servers that have only the job's database row. */
export async function runTask(
  handler: JobHandler,
  job: JobStart,
  signal: AbortSignal = new AbortController().signal,
  more: { task_id?: string; prepared?: boolean } = {},
): Promise<unknown> {
  let state: Record<string, unknown> = {}
  let since: number | undefined
  for (let attempt = 1; ; attempt++) {
    const { name, subject, args, scope } = JSON.parse(JSON.stringify(job)) as JobStart
    const time = Date.now()
    since ??= time
    const result = await handler.run({
      ...{ task_id: 't', name, subject, args, scope, attempt, state, time, since, signal, ...more },
      cancelled: () => false,
      progress: () => undefined,
    })
    if (!isRunAgain(result)) return result
    state = JSON.parse(JSON.stringify(result.state ?? {})) as Record<string, unknown>
    await sleep(result.again, undefined, { signal })
  }
}
