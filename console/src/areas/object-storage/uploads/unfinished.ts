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
 * Uploads that a page before this one has begun. They go on with their file, which the browser gives again after a permission, or which the
 * person chooses again.
 */

/** Why an upload cannot go on: its file is another one or gone, or the server has ended it. */
export type Obstacle = Difference | 'missing' | 'ended'

export interface Unfinished {
  record: UploadRecord
  obstacle: Obstacle | undefined
  /** The file that did not do. It may be sent from its beginning. */
  file: File | undefined
  /** The server is asked, or the file compared. */
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

/** Reads which uploads of this person no page has in hand. */
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

/** Shows an upload as being looked at while this runs. What fails is told, and the upload stays in the list. */
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

/** The upload for this page alone; null, and said so, where another one has it or it is over. */
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

/** Goes on with a file that was chosen again, if it is the same and the server still waits for the rest. */
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

/** Goes on with the file that the browser still knows. Call it for a press: the browser asks for its permission. */
export async function resume(id: string): Promise<void> {
  const handle = find(id)?.record.handle
  if (!handle) return
  try {
    if ((await handle.requestPermission({ mode: 'read' })) !== 'granted') return
    await resumeWith(id, await handle.getFile())
  } catch {
    // moved or deleted
    set(id, { obstacle: 'missing' })
  }
}

/** Goes on with each upload whose file is among these, by name, size and time. */
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

/** Gives up what has arrived, and sends a file from its beginning to the same place. */
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

/** Gives up an upload: its parts are dropped at the server. */
export const discardUnfinished = (id: string): Promise<void> =>
  busy(id, async () => {
    const record = await claimed(id)
    if (!record) return
    await discard(record)
    remove(id)
  })

// nobody else's are shown, not even for a moment
useSession.subscribe(({ user }, before) => {
  if (user?.id === before.user?.id) return
  useUnfinished.setState({ unfinished: [] })
  void loadUnfinished()
})
