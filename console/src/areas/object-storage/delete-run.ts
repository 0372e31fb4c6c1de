import { tasks } from '@mainstay/contract/core/tasks'
import {
  MOST_FAULTS,
  MOST_SOURCES,
  s3Runs,
  type S3Run,
  type S3RunFault,
} from '@mainstay/contract/object-storage/s3-files'
import { call } from '../../api/call'
import { asProblem, cancelled, isCancelled } from '../../api/problem'
import { faultText, serverMessage } from './client/problem'
import { callS3 } from './client/runs'
import { pause } from './client/send'
import { deleteVersions, listVersions, type VersionPage } from './client/versions'

/** Progress of a deletion. `failed`: number of failed items; `faults`: the first few failed items, with reasons. */
export interface DeleteProgress {
  deleted: number
  failed?: number
  faults: S3RunFault[]
}

export type ReportProgress = (progress: DeleteProgress) => void

/** Names of items that failed for the same reason. */
export interface FaultGroup {
  message: string
  names: string[]
}

/** Groups errors by message. */
export function groupsOf(faults: readonly S3RunFault[]): FaultGroup[] {
  const groups = new Map<string, string[]>()
  for (const { key, code, message } of faults) {
    const text = faultText(code, message)
    groups.set(text, [...(groups.get(text) ?? []), key])
  }
  return [...groups].map(([message, names]) => ({ message, names }))
}

const lookEveryMs = 500
const progressOf = ({ done, failed, faults }: S3Run): DeleteProgress => ({ deleted: done, failed, faults })

/** Cancels a run's task and waits for the final result. */
async function cancelRun({ id, task_id }: S3Run, tell: ReportProgress): Promise<void> {
  await call(tasks.cancel, { params: { id: task_id! } }).catch(() => undefined)
  for (;;) {
    const run = await call(s3Runs.view, { params: { id: id! } })
    tell(progressOf(run))
    if (run.state !== 'running') return
    await pause(lookEveryMs)
  }
}

/** Deletes files and folders with one server-side run. */
async function deleteSome(
  bucket: string,
  keys: string[],
  signal: AbortSignal,
  tell: ReportProgress,
): Promise<DeleteProgress> {
  let run = await callS3(s3Runs.create, { body: { action: 'delete', bucket, keys } }, { signal })
  while (run.state === 'running') {
    tell(progressOf(run))
    try {
      await pause(lookEveryMs, signal)
    } catch {
      await cancelRun(run, tell)
      throw cancelled()
    }
    run = await call(s3Runs.view, { params: { id: run.id! } })
  }
  return progressOf(run)
}

/**
 * Deletes these keys and everything under these prefixes with server-side tasks. Reports progress to `tell`; aborting
 * cancels the task.
 */
export async function deleteAll(
  bucket: string,
  { keys = [], prefixes = [] }: { keys?: readonly string[]; prefixes?: readonly string[] },
  signal: AbortSignal,
  tell: ReportProgress,
): Promise<DeleteProgress> {
  const all = [...keys, ...prefixes]
  let sum: DeleteProgress = { deleted: 0, failed: 0, faults: [] }
  const plus = (one: DeleteProgress): DeleteProgress => ({
    deleted: sum.deleted + one.deleted,
    failed: sum.failed! + one.failed!,
    faults: [...sum.faults, ...one.faults],
  })
  for (let at = 0; at < all.length; at += MOST_SOURCES)
    sum = plus(await deleteSome(bucket, all.slice(at, at + MOST_SOURCES), signal, (one) => tell(plus(one))))
  return sum
}

/**
 * Permanently deletes all versions and delete markers in a bucket that contains no current objects. `before`: progress
 * of the previous step, to which this step adds.
 */
export async function deleteAllVersions(
  bucket: string,
  before: DeleteProgress,
  signal: AbortSignal,
  tell: ReportProgress,
): Promise<DeleteProgress> {
  let progress = before
  let after: VersionPage['next']
  do {
    const page = await listVersions(bucket, { prefix: '', ...(after && { after }) }, signal)
    after = page.next
    if (page.versions.length === 0) break
    const faults = await deleteVersions(bucket, page.versions, signal)
    // a version that cannot be deleted is skipped, and the next page starts after it
    progress = {
      deleted: progress.deleted + page.versions.length - faults.length,
      failed: (progress.failed ?? 0) + faults.length,
      faults: [...progress.faults, ...faults].slice(0, MOST_FAULTS),
    }
    tell(progress)
  } while (after)
  return progress
}

/** Runs the same action for each name, `atOnce` in parallel, and collects the failures. */
export async function deleteEach(
  names: readonly string[],
  run: (name: string) => Promise<unknown>,
  atOnce: number,
  signal: AbortSignal,
  tell: ReportProgress,
): Promise<DeleteProgress> {
  const waiting = [...names]
  let progress: DeleteProgress = { deleted: 0, faults: [] }
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      signal.throwIfAborted()
      try {
        await run(name)
        progress = { ...progress, deleted: progress.deleted + 1 }
      } catch (thrown) {
        if (isCancelled(thrown)) throw thrown
        const problem = asProblem(thrown)
        const fault = { key: name, code: problem.code, message: serverMessage(problem) }
        progress = { ...progress, faults: [...progress.faults, fault] }
      }
      tell(progress)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return progress
}
