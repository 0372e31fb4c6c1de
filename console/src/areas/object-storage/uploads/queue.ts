import { create } from 'zustand'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { asProblem } from '../../../api/problem'
import { refresh } from '../../../api/use-call'
import { useSession } from '../../../session/session'
import { onLost } from '../availability'
import { abortMultipart, onlyIfNew } from '../client/multipart'
import { hasObject, putObject } from '../client/objects'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { isActive, isOpen, newRecord, numbered, placeOf, shownAs, waitingUpload } from './file-upload'
import type { FileUpload, Picked } from './file-upload'
import { isEnded, isTaken, putFile, type PutProgress } from './put-file'
import { dropRecords, putRecords, type IfExists, type UploadRecord } from './records'
import { holdPage } from './tabs'

export const useFileUploads = create<{ uploads: readonly FileUpload[] }>()(() => ({ uploads: [] }))

/** Why an active upload was stopped: paused, cancelled, or left unfinished because the user signed out. */
type Stop = 'pause' | 'cancel' | 'leave'
const controllers = new Map<string, AbortController>()
let batch = 0

const all = () => useFileUploads.getState().uploads
const find = (id: string) => all().find((it) => it.id === id)
const set = (id: string, part: Partial<FileUpload>) =>
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.map((it) => (it.id === id ? { ...it, ...part } : it)) }))

/** Adds files to the queue and creates their records. `folder`: key prefix for the files. */
export function enqueue(
  bucket: string,
  folder: string,
  picked: readonly Picked[],
  ifExists: (key: string) => IfExists,
) {
  const added = picked.map(({ path, file, handle }) => {
    const key = `${folder}${path}${file ? '' : '/'}`
    const record = file && { ...newRecord(bucket, key, file, handle ?? null), ifExists: ifExists(key) }
    return waitingUpload(bucket, key, { file, record, ifExists: ifExists(key) })
  })
  add(added)
}

/** Queues uploads that an earlier page started. */
export function enqueueBegun(begun: readonly { record: UploadRecord; file: File }[]) {
  add(
    begun.map(({ record, file }) =>
      waitingUpload(record.bucket, record.key, { file, record, ifExists: record.ifExists }),
    ),
  )
}

function add(added: readonly FileUpload[]) {
  holdPage()
  void putRecords(added.flatMap(({ record }) => record ?? []))
  if (!all().some(isOpen)) batch += 1
  useFileUploads.setState(({ uploads }) => ({ uploads: [...uploads, ...added.map((it) => ({ ...it, batch }))] }))
  next()
}

function next() {
  if (all().some(({ status }) => status === 'PROGRESS')) return
  const waiting = all().find(({ status, isPaused }) => status === 'PENDING' && !isPaused)
  if (waiting) void work(waiting)
}

async function work(upload: FileUpload) {
  const { id, bucketName: bucket } = upload
  const controller = new AbortController()
  controllers.set(id, controller)
  set(id, shownAs('PROGRESS'))
  try {
    const key = await send(upload, controller.signal)
    if (key === null) set(id, shownAs('CANCELED'))
    else set(id, { ...shownAs('UPLOADED'), progress: 100, part: null, ...placeOf(key) })
    if (upload.record) await dropRecords([id])
  } catch (thrown) {
    await stopped(id, thrown, controller.signal)
  } finally {
    if (controllers.get(id) === controller) controllers.delete(id)
    set(id, { request: null })
    if (find(id)) renew(bucket)
    next()
  }
}

/** Maximum attempts to find a free key while other clients are creating objects. */
const MOST_KEYS_TRIED = 5

/** Sends a file or creates a folder. Returns its key, or null if it was skipped because the key exists. */
async function send(upload: FileUpload, signal: AbortSignal): Promise<string | null> {
  const { id, record, ifExists } = upload
  for (let attempt = 1; ; attempt++) {
    // a started upload keeps its key
    const begun = find(id)?.record ?? record
    const key = begun?.uploadId ? begun.key : await freeKey(upload, signal)
    if (key === null) return null
    try {
      await sendAs(key, { ...upload, record: begun }, signal)
      return key
    } catch (thrown) {
      // the key was taken after it had been checked, so the server refused to overwrite the object
      if (ifExists === 'replace' || !isTaken(thrown) || attempt >= MOST_KEYS_TRIED) throw thrown
      await beginAnew(id)
    }
  }
}

/** Aborts a file's multipart upload because another client has taken the key. */
async function beginAnew(id: string) {
  const record = find(id)?.record
  if (!record?.uploadId) return
  await abortMultipart(record.bucket, record.key, record.uploadId).catch(() => undefined)
  await save(id, { uploadId: null, parts: [] })
}

async function sendAs(
  key: string,
  { id, bucketName: bucket, file, record, ifExists }: FileUpload,
  signal: AbortSignal,
): Promise<void> {
  if (!file || !record) {
    await putObject(bucket, key, '', ifExists === 'replace' ? {} : onlyIfNew)
    return
  }
  await putFile({ ...record, key }, file, {
    signal,
    save: (change) => save(id, { ...change, key }),
    onProgress: (progress) => set(id, shownProgress(file, progress)),
    onRequest: (request) => set(id, { request }),
  })
}

/** Stays below 100 until the server confirms the upload. */
const shownProgress = ({ size }: File, { doneBytes, goneBytes, part }: PutProgress) => ({
  ...{ progress: size === 0 ? 0 : Math.min(99, (100 * doneBytes) / size), goneBytes, part },
})

async function save(id: string, change: Partial<UploadRecord>) {
  const record = find(id)?.record
  if (!record) return
  const changed = { ...record, ...change }
  set(id, { record: changed })
  await putRecords([changed])
}

async function stopped(id: string, thrown: unknown, { aborted, reason }: AbortSignal) {
  if (!aborted) {
    // an upload that no longer exists on the server starts again on retry
    if (isEnded(thrown)) await save(id, { uploadId: null, parts: [] })
    return set(id, { ...shownAs('FAILED'), part: null, problem: asProblem(thrown) })
  }
  if ((reason as Stop) === 'pause') return set(id, { ...shownAs('PENDING'), isPaused: true, part: null })
  if ((reason as Stop) === 'leave') return
  const record = find(id)?.record
  set(id, { ...shownAs('CANCELED'), part: null })
  // if this fails, the upload is listed as unfinished
  if (record) await discard(record).catch(() => undefined)
}

/** Aborts an upload on the server, then deletes the upload record. Rejects if the server cannot be reached. */
export async function discard({ id, bucket, key, uploadId }: UploadRecord): Promise<void> {
  if (uploadId !== null)
    await abortMultipart(bucket, key, uploadId).catch((thrown: unknown) => {
      if (asProblem(thrown).status !== 404) throw thrown
    })
  await dropRecords([id])
}

/** A key to which the file may be written; null to skip the file. */
async function freeKey({ bucketName, fullPath, ifExists }: FileUpload, signal: AbortSignal): Promise<string | null> {
  if (ifExists === 'replace' || !(await hasObject(bucketName, fullPath, signal))) return fullPath
  if (ifExists === 'skip') return null
  for (let number = 2; ; number++) {
    const key = numbered(fullPath, number)
    if (!(await hasObject(bucketName, key, signal))) return key
  }
}

const renewMs = 2000
let renewal: ReturnType<typeof setTimeout> | undefined

/** Refreshes lists after an upload, at most every 2 seconds while uploads are active. */
function renew(bucket: string) {
  if (renewal !== undefined && all().some(isActive)) return
  clearTimeout(renewal)
  const now = () => {
    renewal = undefined
    void refreshS3(s3Query.folder(bucket), s3Query.bucket(bucket, 'count'))
    void refresh([s3Keys.account])
  }
  if (all().some(isActive)) renewal = setTimeout(now, renewMs)
  else now()
}

const stop = (id: string, why: Stop) => controllers.get(id)?.abort(why)

/** Removes a waiting file from the queue, or aborts an active file's request. */
export function abortUpload(id: string) {
  const upload = find(id)
  if (upload?.status === 'PROGRESS') stop(id, 'cancel')
  if (upload?.status !== 'PENDING') return
  set(id, { ...shownAs('CANCELED'), isPaused: false })
  if (upload.record) void discard(upload.record).catch(() => undefined)
}

/** Cancels waiting files first, so that none of them starts. */
export function abortAll() {
  for (const { id, status } of all()) if (status === 'PENDING') abortUpload(id)
  for (const { id } of all()) abortUpload(id)
}

/** Pauses a file; its parts stay on the server. */
export function pauseUpload(id: string) {
  const upload = find(id)
  if (upload?.status === 'PENDING') set(id, { isPaused: true })
  if (upload?.status === 'PROGRESS') stop(id, 'pause')
}

export function pauseAll() {
  for (const { id, status } of all()) if (status === 'PENDING') pauseUpload(id)
  for (const { id, status } of all()) if (status === 'PROGRESS') pauseUpload(id)
}

/** Resumes paused files; each continues when it is its turn. */
export function resumeUploads(ids: readonly string[] = all().map(({ id }) => id)) {
  for (const id of ids) if (find(id)?.isPaused) set(id, { isPaused: false })
  next()
}

/** Moves a file to the front of the queue. */
export function uploadNext(id: string) {
  const upload = find(id)
  if (!upload) return
  const first = { ...upload, isPaused: false }
  useFileUploads.setState(({ uploads }) => {
    const others = uploads.filter((it) => it !== upload)
    const at = others.findIndex(({ status }) => status === 'PENDING')
    return { uploads: others.toSpliced(at < 0 ? others.length : at, 0, first) }
  })
  next()
}

/** Queues a failed or cancelled file again. A failed one continues with its stored parts. */
export function retryUpload(id: string) {
  const upload = find(id)
  if (!upload || isOpen(upload) || upload.status === 'UPLOADED') return
  if (!all().some(isOpen)) batch += 1
  const { record: before, status } = upload
  const record = before && (status === 'CANCELED' ? { ...before, uploadId: null, parts: [] } : before)
  if (record) void putRecords([record])
  set(id, { ...waitingUpload(upload.bucketName, upload.fullPath, { ...upload, record }), id, batch })
  next()
}

/** Removes a failed file from the list, and aborts its upload on the server. */
export function removeUpload(id: string) {
  const upload = find(id)
  if (!upload || isOpen(upload)) return
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.filter((it) => it.id !== id) }))
  if (upload.record) void discard(upload.record).catch(() => undefined)
}

/** Whether an upload has failed with parts stored on the server. */
const isBegun = ({ status, record }: FileUpload) => status === 'FAILED' && !!record?.uploadId

/** Removes finished files from the list; failed ones with stored parts are kept. */
export function clearFinished() {
  const stays = (it: FileUpload) => isOpen(it) || isBegun(it)
  void dropRecords(all().flatMap((it) => (it.status === 'FAILED' && !stays(it) ? it.id : [])))
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.filter(stays) }))
}

/** Stops and removes all uploads. Their records and stored parts are kept for the user who started them. */
function leave() {
  const left = all().flatMap(({ record, status }) =>
    record && status !== 'UPLOADED' && status !== 'CANCELED' ? { ...record, page: '' } : [],
  )
  useFileUploads.setState({ uploads: [] })
  for (const id of controllers.keys()) stop(id, 'leave')
  void putRecords(left)
}

onLost(leave)
// a different user must not see these uploads
useSession.subscribe(({ user, takenOverBy }, before) => {
  if (user?.id !== before.user?.id || (takenOverBy !== null && before.takenOverBy === null)) leave()
})
