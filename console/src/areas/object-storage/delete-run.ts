import { asProblem, isCancelled } from '../../api/problem'
import { deleteObject, deleteObjects, listObjects, MOST_KEYS, type KeyFault } from './client/objects'
import { faultText, saidBy } from './client/problem'

/** What is gone so far, and what stays. */
export interface DeleteProgress {
  deleted: number
  faults: KeyFault[]
}

export type Tell = (progress: DeleteProgress) => void

/** Names whose fate is the same, with the reason in words. */
export interface FaultGroup {
  message: string
  names: string[]
}

/** Faults by their reason. */
export function groupsOf(faults: readonly KeyFault[]): FaultGroup[] {
  const groups = new Map<string, string[]>()
  for (const { key, code, message } of faults) {
    const text = faultText(code, message)
    groups.set(text, [...(groups.get(text) ?? []), key])
  }
  return [...groups].map(([message, names]) => ({ message, names }))
}

/** Deletes these keys and all that is below these prefixes, a thousand at a time. Told after each request. */
export async function deleteAll(
  bucket: string,
  { keys = [], prefixes = [] }: { keys?: readonly string[]; prefixes?: readonly string[] },
  signal: AbortSignal,
  tell: Tell,
): Promise<DeleteProgress> {
  if (keys.length === 1 && prefixes.length === 0) {
    await deleteObject(bucket, keys[0]!, signal)
    return { deleted: 1, faults: [] }
  }
  let progress: DeleteProgress = { deleted: 0, faults: [] }
  const remove = async (some: readonly string[]) => {
    if (some.length === 0) return
    const faults = await deleteObjects(bucket, some, signal)
    progress = { deleted: progress.deleted + some.length - faults.length, faults: [...progress.faults, ...faults] }
    tell(progress)
  }
  for (let at = 0; at < keys.length; at += MOST_KEYS) await remove(keys.slice(at, at + MOST_KEYS))
  for (const prefix of prefixes) {
    let token: string | undefined
    do {
      // from where the page before ended, so that what cannot be deleted is not met again
      const page = await listObjects(bucket, { prefix, maxKeys: MOST_KEYS, token }, signal)
      await remove(page.objects.map(({ Key }) => Key))
      token = page.next
    } while (token !== undefined)
  }
  return progress
}

/** Does the same to each name, so many at a time; what fails is kept with its reason. */
export async function deleteEach(
  names: readonly string[],
  run: (name: string) => Promise<unknown>,
  atOnce: number,
  signal: AbortSignal,
  tell: Tell,
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
        const fault = { key: name, code: problem.code, message: saidBy(problem) }
        progress = { ...progress, faults: [...progress.faults, fault] }
      }
      tell(progress)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return progress
}
