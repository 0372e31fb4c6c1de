import { targetOf, type S3RunFault } from '@mainstay/contract/object-storage/s3-files'
import { encryptionIn, type ObjectName } from '../../../proxies/s3/asked'
import { MOST_AT_ONCE, type KeyFault, type OwnS3, type RemovedObject } from '../../../proxies/s3/own-calls'
import { S3Refusal } from '../../../proxies/s3/s3-refusal'
import type { BatchObject, KeptRun, RunPlan } from './kept-runs'

/** Number of concurrent copies in a batch. The outcomes of a batch are stored together. */
const AT_ONCE = 8
const MOST_COPIES = 100

export interface Outcome {
  done: number
  faults: S3RunFault[]
}

const isFolder = (key: string) => key === '' || key.endsWith('/')

/** Returns the next batch of objects and the position after it, or null at the end of the run. */
export async function nextBatch(
  s3: OwnS3,
  run: Pick<KeptRun, 'action' | 'bucket' | 'keys' | 'at' | 'cursor'>,
): Promise<(Pick<KeptRun, 'at' | 'cursor'> & { batch: BatchObject[] }) | null> {
  const { bucket, keys } = run
  const most = run.action === 'delete' ? MOST_AT_ONCE : MOST_COPIES
  for (let { at, cursor } = run; at < keys.length; at += 1, cursor = '') {
    const source = keys[at]!
    if (!isFolder(source)) {
      const files: BatchObject[] = []
      for (; at < keys.length && files.length < most && !isFolder(keys[at]!); at += 1)
        files.push({ key: keys[at]!, source: at, etag: null })
      return { batch: files, at, cursor: '' }
    }
    const { objects, isLast } = await s3.list(bucket, source, cursor, most)
    if (objects.length === 0) continue
    const batch = objects.map(({ key, etag, size }) => ({ key, source: at, etag, size }))
    return isLast ? { batch, at: at + 1, cursor: '' } : { batch, at, cursor: objects.at(-1)!.key }
  }
  return null
}

/** Returns the bucket and key that an object is copied to. */
export function destinationOf({ keys, target }: Pick<RunPlan, 'keys' | 'target'>, object: BatchObject): ObjectName {
  const source = keys[object.source]!
  const to = target!
  return { bucket: to.bucket, key: `${targetOf(source, to)}${object.key.slice(source.length)}` }
}

const faultOf = (key: string, { code, message }: S3Refusal): KeyFault => ({ key, code, message })

/**
 * Returns headers that give a copy the same encryption as its source. Ignores objects that are encrypted with a
 * customer key (HTTP 400), because copying them fails with a specific error.
 */
async function encryptionOf(s3: OwnS3, from: ObjectName): Promise<Record<string, string>> {
  const found = await s3.head(from).catch((error: unknown) => {
    if (error instanceof S3Refusal && error.status === 400) return null
    throw error
  })
  return encryptionIn(found?.headers ?? {})
}

/**
 * `isRepeated`: a server died while processing the batch. `keepsEncryption`: the target bucket has no default
 * encryption.
 */
interface CopyOptions {
  isRepeated: boolean
  keepsEncryption: boolean
}

/**
 * Copies an object and returns the ETag of the source. Returns null if the object was copied by an earlier attempt and
 * the source has changed since. Throws `S3Refusal`.
 */
async function copyOne(
  s3: OwnS3,
  plan: RunPlan,
  object: BatchObject,
  { isRepeated, keepsEncryption }: CopyOptions,
): Promise<string | null> {
  const from = { bucket: plan.bucket, key: object.key }
  const to = destinationOf(plan, object)
  const { etag, size } =
    object.etag !== null && object.size !== undefined
      ? { ...object, etag: object.etag, size: object.size }
      : ((await s3.head(from)) ?? {})
  if (etag === undefined || size === undefined) {
    if (isRepeated && plan.action === 'move' && (await s3.head(to))) return null
    throw new S3Refusal(404, 'NoSuchKey', 'The specified key does not exist.')
  }
  try {
    const encryption = keepsEncryption ? await encryptionOf(s3, from) : {}
    await s3.copy({ ...from, etag, size }, to, { overwrite: plan.overwrite, encryption })
    return etag
  } catch (error) {
    if (!(error instanceof S3Refusal) || (error.code !== 'PreconditionFailed' && error.code !== 'NoSuchKey'))
      throw error
    const there = await s3.head(to)
    // the server that died during the batch had already copied the object
    if (isRepeated && there?.etag === etag) return (await s3.head(from))?.etag === etag ? etag : null
    if (error.code === 'PreconditionFailed')
      throw there && !plan.overwrite
        ? new S3Refusal(412, 'KeyExists', 'An object with this key already exists')
        : new S3Refusal(412, 'Changed', 'The object was changed in the meantime')
    throw error
  }
}

const changed = (key: string): KeyFault => ({
  ...{ key, code: 'Changed', message: 'The object was copied but changed in the meantime, so the original was kept' },
})

/** Whether the source is unchanged and can therefore be deleted after the copy. */
async function isUnchanged(s3: OwnS3, from: ObjectName, etag: string): Promise<boolean> {
  return (await s3.head(from))?.etag === etag
}

async function copyAll(s3: OwnS3, plan: RunPlan, batch: readonly BatchObject[], isRepeated: boolean): Promise<Outcome> {
  const options = { isRepeated, keepsEncryption: !(await s3.encryptsByDefault(plan.target!.bucket)) }
  const faults: KeyFault[] = []
  const originals: RemovedObject[] = []
  let done = 0
  const waiting = [...batch]
  async function worker(): Promise<void> {
    for (let object = waiting.shift(); object; object = waiting.shift()) {
      const { key } = object
      try {
        const etag = await copyOne(s3, plan, object, options)
        if (plan.action === 'copy' || etag === null) done += 1
        else if (await isUnchanged(s3, { bucket: plan.bucket, key }, etag)) originals.push({ key, etag })
        else faults.push(changed(key))
      } catch (error) {
        // record errors that concern a single object, but fail the batch if S3 is unavailable
        if (!(error instanceof S3Refusal) || error.status >= 500) throw error
        faults.push(faultOf(key, error))
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (originals.length > 0) {
    const stay = await s3.removeMany(plan.bucket, originals)
    done += originals.length - stay.length
    for (const { key, code, message } of stay)
      faults.push(
        code === 'PreconditionFailed'
          ? changed(key)
          : { key, code, message: `The object was copied, but the original could not be deleted: ${message}` },
      )
  }
  return { done, faults }
}

/** Processes a batch. `isRepeated`: a server died while processing it, so some of the objects may already be done. */
export async function doBatch(
  s3: OwnS3,
  plan: RunPlan,
  batch: readonly BatchObject[],
  { isRepeated = false } = {},
): Promise<Outcome> {
  if (plan.action !== 'delete') return copyAll(s3, plan, batch, isRepeated)
  const faults = await s3.removeMany(
    plan.bucket,
    batch.map(({ key }) => ({ key })),
  )
  return { done: batch.length - faults.length, faults }
}
