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

/** Why a file on its way is stopped: it waits, it is called off, or its person has gone and it stays as it is. */
type Stop = 'pause' | 'cancel' | 'leave'
const controllers = new Map<string, AbortController>()
let batch = 0

const all = () => useFileUploads.getState().uploads
const find = (id: string) => all().find((it) => it.id === id)
const set = (id: string, part: Partial<FileUpload>) =>
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.map((it) => (it.id === id ? { ...it, ...part } : it)) }))

/** Puts files into the queue, and keeps a record of each. `folder`: the prefix that they go to. */
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

/** Puts files into the queue that a page before this one has begun. */
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

/** So often another name is looked for where somebody else was faster. */
const MOST_KEYS_TRIED = 5

/** Sends a file, or makes a folder. Gives back its key; null: it is left out, because there is one already. */
async function send(upload: FileUpload, signal: AbortSignal): Promise<string | null> {
  const { id, record, ifExists } = upload
  for (let attempt = 1; ; attempt++) {
    // one that was begun has its key
    const begun = find(id)?.record ?? record
    const key = begun?.uploadId ? begun.key : await freeKey(upload, signal)
    if (key === null) return null
    try {
      await sendAs(key, { ...upload, record: begun }, signal)
      return key
    } catch (thrown) {
      // it came after its key was found to be free, and the server replaced nothing
      if (ifExists === 'replace' || !isTaken(thrown) || attempt >= MOST_KEYS_TRIED) throw thrown
      await beginAnew(id)
    }
  }
}

/** Gives up what the server has of a file, for which there is no place of that name any more. */
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

/** It is whole only when the server has said so. */
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
    // what has ended at the server begins anew when it is tried again
    if (isEnded(thrown)) await save(id, { uploadId: null, parts: [] })
    return set(id, { ...shownAs('FAILED'), part: null, problem: asProblem(thrown) })
  }
  if ((reason as Stop) === 'pause') return set(id, { ...shownAs('PENDING'), isPaused: true, part: null })
  if ((reason as Stop) === 'leave') return
  const record = find(id)?.record
  set(id, { ...shownAs('CANCELED'), part: null })
  // what cannot be given up now is shown as unfinished
  if (record) await discard(record).catch(() => undefined)
}

/** Gives up an upload: at the server, then its record. Rejects where the server cannot be told. */
export async function discard({ id, bucket, key, uploadId }: UploadRecord): Promise<void> {
  if (uploadId !== null)
    await abortMultipart(bucket, key, uploadId).catch((thrown: unknown) => {
      if (asProblem(thrown).status !== 404) throw thrown
    })
  await dropRecords([id])
}

/** A key that overwrites nothing it should not; null: it is left out. */
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

/** Lists show what has arrived: of many small files not after each of them. */
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

/** Takes a waiting file out of the queue, or breaks off the request of one on its way. */
export function abortUpload(id: string) {
  const upload = find(id)
  if (upload?.status === 'PROGRESS') stop(id, 'cancel')
  if (upload?.status !== 'PENDING') return
  set(id, { ...shownAs('CANCELED'), isPaused: false })
  if (upload.record) void discard(upload.record).catch(() => undefined)
}

/** Waiting ones first, so that none of them begins. */
export function abortAll() {
  for (const { id, status } of all()) if (status === 'PENDING') abortUpload(id)
  for (const { id } of all()) abortUpload(id)
}

/** Lets a file wait; what the server has of it stays there. */
export function pauseUpload(id: string) {
  const upload = find(id)
  if (upload?.status === 'PENDING') set(id, { isPaused: true })
  if (upload?.status === 'PROGRESS') stop(id, 'pause')
}

export function pauseAll() {
  for (const { id, status } of all()) if (status === 'PENDING') pauseUpload(id)
  for (const { id, status } of all()) if (status === 'PROGRESS') pauseUpload(id)
}

/** Lets paused files go on when it is their turn. */
export function resumeUploads(ids: readonly string[] = all().map(({ id }) => id)) {
  for (const id of ids) if (find(id)?.isPaused) set(id, { isPaused: false })
  next()
}

/** Makes a waiting file the next one. */
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

/** Puts one that failed, or was called off, back into the queue. It goes on with what the server has of it. */
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

/** Takes one that failed out of the list, and gives up what the server has of it. */
export function removeUpload(id: string) {
  const upload = find(id)
  if (!upload || isOpen(upload)) return
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.filter((it) => it.id !== id) }))
  if (upload.record) void discard(upload.record).catch(() => undefined)
}

/** Something of it is at the server, and waits for the rest. */
const isBegun = ({ status, record }: FileUpload) => status === 'FAILED' && !!record?.uploadId

/** Takes what is over out of the list; what failed stays while the server has some of it. */
export function clearFinished() {
  const stays = (it: FileUpload) => isOpen(it) || isBegun(it)
  void dropRecords(all().flatMap((it) => (it.status === 'FAILED' && !stays(it) ? it.id : [])))
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.filter(stays) }))
}

/** Stops all of them and forgets them. Records, and what the server has, wait for whoever began them. */
function leave() {
  const left = all().flatMap(({ record, status }) =>
    record && status !== 'UPLOADED' && status !== 'CANCELED' ? { ...record, page: '' } : [],
  )
  useFileUploads.setState({ uploads: [] })
  for (const id of controllers.keys()) stop(id, 'leave')
  void putRecords(left)
}

onLost(leave)
// whoever signs in next has begun none of them
useSession.subscribe(({ user, takenOverBy }, before) => {
  if (user?.id !== before.user?.id || (takenOverBy !== null && before.takenOverBy === null)) leave()
})
