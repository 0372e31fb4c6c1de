import { create } from 'zustand'
import { S3_UPLOAD_DAYS } from '@mainstay/contract/object-storage/s3-service'
import { textsNow } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { notifyError } from '../../../notices/notify-error'
import { sessionNow, useSession } from '../../../session/session'
import { newRecord } from './file-upload'
import { followFileUploads } from './notices'
import { isEnded, partsAtServer } from './put-file'
import { discard, enqueueBegun, useFileUploads } from './queue'
import { recordsOf, type UploadRecord } from './records'
import { differenceOf, type Difference } from './same-file'
import { claim, openPages, ownPage } from './tabs'

/*
 * Handles uploads that an earlier page started. To resume one, the browser reopens the file with the user's permission,
 * or the user chooses the file again.
 */

/** Why an upload cannot be resumed: a different or missing file, or the server no longer has the upload. */
export type Obstacle = Difference | 'missing' | 'ended'

export interface Unfinished {
  record: UploadRecord
  obstacle: Obstacle | undefined
  /** The chosen file that did not match; it can be uploaded from the beginning. */
  file: File | undefined
  /** True while the server is being queried or the file compared. */
  isBusy: boolean
}

export const useUnfinished = create<{ unfinished: readonly Unfinished[] }>()(() => ({ unfinished: [] }))

const all = () => useUnfinished.getState().unfinished
const find = (id: string) => all().find(({ record }) => record.id === id)
const set = (id: string, part: Partial<Unfinished>) =>
  useUnfinished.setState(({ unfinished }) => ({
    unfinished: unfinished.map((it) => (it.record.id === id ? { ...it, ...part } : it)),
  }))
const remove = (id: string) =>
  useUnfinished.setState(({ unfinished }) => ({ unfinished: unfinished.filter(({ record }) => record.id !== id) }))

const mostMs = S3_UPLOAD_DAYS * 24 * 3600 * 1000
const isTooOld = ({ uploadId, begunAt }: UploadRecord) => uploadId !== null && Date.now() - begunAt > mostMs

/** Loads this user's uploads that no open page is working on. */
export async function loadUnfinished(): Promise<void> {
  const owner = sessionNow().user?.id
  const [records, pages] = await Promise.all([owner === undefined ? [] : recordsOf(owner), openPages()])
  if (sessionNow().user?.id !== owner) return
  const { uploads } = useFileUploads.getState()
  const queued = new Set(uploads.flatMap(({ id, status }) => (status === 'CANCELED' ? [] : id)))
  const unfinished = records
    .filter(({ id, page }) => !queued.has(id) && (page === ownPage || !pages.has(page)))
    .map((record): Unfinished => {
      const { obstacle, file, isBusy = false } = find(record.id) ?? {}
      return { record, file, isBusy, obstacle: isTooOld(record) ? 'ended' : obstacle }
    })
  useUnfinished.setState({ unfinished })
}

/** Marks an upload as busy while `run` is pending. Errors are shown, and the upload stays in the list. */
async function busy(id: string, run: () => Promise<unknown>): Promise<void> {
  if (find(id)?.isBusy !== false) return
  set(id, { isBusy: true })
  try {
    await run()
  } catch (thrown) {
    notifyError(thrown, textsNow('objectStorage')('unfinished.failed'))
  } finally {
    set(id, { isBusy: false })
  }
}

/** Claims an upload for this page. Returns null and notifies the user if another page has it or it is finished. */
async function claimed(id: string): Promise<UploadRecord | null> {
  const record = await claim(id)
  if (record) return record
  remove(id)
  notify({ type: 'info', title: textsNow('objectStorage')('unfinished.elsewhere') })
  return null
}

function goOn(record: UploadRecord, file: File) {
  remove(record.id)
  void followFileUploads()
  enqueueBegun([{ record, file }])
}

/** Resumes an upload with a chosen file, if the file matches and the server still has the upload. */
export const resumeWith = (id: string, file: File): Promise<void> =>
  busy(id, async () => {
    const record = await claimed(id)
    if (!record) return
    const { uploadId } = record
    try {
      if (isTooOld(record)) return set(id, { obstacle: 'ended', file })
      const parts = uploadId === null ? [] : await partsAtServer({ ...record, uploadId })
      const difference = await differenceOf(record, file, parts)
      if (difference) return set(id, { obstacle: difference, file })
      goOn({ ...record, parts }, file)
    } catch (thrown) {
      if (!isEnded(thrown)) throw thrown
      set(id, { obstacle: 'ended', file })
    }
  })

/**
 * Resumes an upload with its saved file handle. Call it from a user action, because the browser asks for permission.
 */
export async function resume(id: string): Promise<void> {
  const handle = find(id)?.record.handle
  if (!handle) return
  try {
    if ((await handle.requestPermission({ mode: 'read' })) !== 'granted') return
    await resumeWith(id, await handle.getFile())
  } catch {
    // the file was moved or deleted
    set(id, { obstacle: 'missing' })
  }
}

/** Resumes every upload that matches one of these files by name, size and modification time. */
export async function resumeAmong(files: readonly File[]): Promise<void> {
  const isOf =
    ({ name, size, lastModified }: UploadRecord) =>
    (file: File) =>
      file.name === name && file.size === size && file.lastModified === lastModified
  for (const { record } of all()) {
    const file = files.find(isOf(record))
    if (file) await resumeWith(record.id, file)
  }
}

/** Discards the stored parts and uploads a file to the same key from the beginning. */
export const restartUpload = (id: string, file: File): Promise<void> =>
  busy(id, async () => {
    const record = await claimed(id)
    if (!record) return
    await discard(record)
    const { bucket, key, ifExists, handle } = record
    const isOther = record.name !== file.name
    goOn({ ...newRecord(bucket, key, file, isOther ? null : handle), ifExists }, file)
    remove(id)
  })

/** Discards an upload and deletes its parts on the server. */
export const discardUnfinished = (id: string): Promise<void> =>
  busy(id, async () => {
    const record = await claimed(id)
    if (!record) return
    await discard(record)
    remove(id)
  })

// never show another user's uploads, not even briefly
useSession.subscribe(({ user }, before) => {
  if (user?.id === before.user?.id) return
  useUnfinished.setState({ unfinished: [] })
  void loadUnfinished()
})
