import { create } from 'zustand'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { asProblem, isCancelled, type CallProblem } from '../../../api/problem'
import { refresh } from '../../../api/use-call'
import { textsNow } from '../../../i18n/use-t'
import { useSession } from '../../../session/session'
import { BadIcon, BusyIcon, ClockIcon, IdleIcon, OkIcon, type Icon } from '../../../ui/icons'
import { onLost } from '../availability'
import { hasObject, putObject } from '../client/objects'
import type { Sending } from '../client/send-body'
import { nameOf, typeOf } from '../files/file-row'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { putFile } from './put-file'

/** S1§4: one file is sent at a time, the others wait. */
export type UploadStatus = 'PENDING' | 'PROGRESS' | 'UPLOADED' | 'FAILED' | 'CANCELED'

/** What becomes of an object that has the same key. */
export type IfExists = 'replace' | 'skip' | 'both'

/** A file that was chosen or dropped; null stands for an empty folder. `path`: with its folders, `photos/a.jpg`. */
export interface Picked {
  path: string
  file: File | null
}

/** A file of the queue (S1§3). */
export interface FileUpload {
  id: string
  bucketName: string
  file: File | null
  status: UploadStatus
  statusText: string
  statusIcon: Icon
  /** 0 to 100. */
  progress: number
  request: Sending | null
  /** The key. */
  fullPath: string
  /** The folder that it goes to, with its slash. */
  folderPath: string
  /** The ending of its name, in small letters. */
  type: string
  name: string
  isFolder: boolean
  ifExists: IfExists
  problem: CallProblem | undefined
  /** All that were in the queue together are told of together. */
  batch: number
}

const icons: Readonly<Record<UploadStatus, Icon>> = {
  PENDING: ClockIcon,
  PROGRESS: BusyIcon,
  UPLOADED: OkIcon,
  FAILED: BadIcon,
  CANCELED: IdleIcon,
}
const shownAs = (status: UploadStatus) => ({
  status,
  statusText: textsNow('objectStorage')(`upload.${status}`),
  statusIcon: icons[status],
})

export const useFileUploads = create<{ uploads: readonly FileUpload[] }>()(() => ({ uploads: [] }))

const controllers = new Map<string, AbortController>()
let made = 0
let batch = 0

export const isOpen = ({ status }: Pick<FileUpload, 'status'>) => status === 'PENDING' || status === 'PROGRESS'
const all = () => useFileUploads.getState().uploads
const set = (id: string, part: Partial<FileUpload>) =>
  useFileUploads.setState(({ uploads }) => ({ uploads: uploads.map((it) => (it.id === id ? { ...it, ...part } : it)) }))

/** Puts files into the queue. `folder`: the prefix that they go to. */
export function enqueue(
  bucket: string,
  folder: string,
  picked: readonly Picked[],
  ifExists: (key: string) => IfExists,
) {
  if (!all().some(isOpen)) batch += 1
  const added = picked.map(({ path, file }): FileUpload => {
    const key = `${folder}${path}${file ? '' : '/'}`
    const name = nameOf(key)
    return {
      ...{ id: `s3-upload-${++made}`, bucketName: bucket, file, ...shownAs('PENDING'), progress: 0, request: null },
      ...{
        fullPath: key,
        folderPath: key.slice(0, key.length - name.length - (file ? 0 : 1)),
        type: typeOf(name),
        name,
      },
      ...{ isFolder: file === null, ifExists: ifExists(key), problem: undefined, batch },
    }
  })
  useFileUploads.setState(({ uploads }) => ({ uploads: [...uploads, ...added] }))
  next()
}

function next() {
  if (all().some(({ status }) => status === 'PROGRESS')) return
  const waiting = all().find(({ status }) => status === 'PENDING')
  if (waiting) void work(waiting)
}

async function work(upload: FileUpload) {
  const { id, bucketName: bucket, file } = upload
  const controller = new AbortController()
  controllers.set(id, controller)
  set(id, shownAs('PROGRESS'))
  try {
    const key = await freeKey(upload, controller.signal)
    if (key === null) set(id, shownAs('CANCELED'))
    else {
      if (file)
        await putFile(bucket, key, file, {
          signal: controller.signal,
          onProgress: (sent) => set(id, { progress: file.size === 0 ? 0 : Math.min(100, (100 * sent) / file.size) }),
          onRequest: (request) => set(id, { request }),
        })
      else await putObject(bucket, key)
      set(id, { ...shownAs('UPLOADED'), progress: 100, fullPath: key, name: nameOf(key) })
    }
  } catch (thrown) {
    set(id, isCancelled(thrown) ? shownAs('CANCELED') : { ...shownAs('FAILED'), problem: asProblem(thrown) })
  } finally {
    controllers.delete(id)
    set(id, { request: null })
    renew(bucket)
    next()
  }
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

/** `photos/a.jpg` → `photos/a (2).jpg` */
export function numbered(key: string, number: number): string {
  const name = nameOf(key)
  const type = typeOf(name)
  const stem = type === '' ? name : name.slice(0, -type.length - 1)
  const ending = type === '' ? '' : name.slice(-type.length - 1)
  return `${key.slice(0, key.length - name.length)}${stem} (${number})${ending}`
}

const renewMs = 2000
let renewal: ReturnType<typeof setTimeout> | undefined

/** Lists show what has arrived: of many small files not after each of them. */
function renew(bucket: string) {
  if (renewal !== undefined && all().some(isOpen)) return
  clearTimeout(renewal)
  const now = () => {
    renewal = undefined
    void refreshS3(s3Query.folder(bucket), s3Query.bucket(bucket, 'count'))
    void refresh([s3Keys.account])
  }
  if (all().some(isOpen)) renewal = setTimeout(now, renewMs)
  else now()
}

/** Takes a waiting file out of the queue, or breaks off the request of one on its way. */
export function abortUpload(id: string) {
  const upload = all().find((it) => it.id === id)
  if (upload?.status === 'PENDING') set(id, shownAs('CANCELED'))
  else if (upload?.status === 'PROGRESS') {
    upload.request?.abort()
    controllers.get(id)?.abort()
  }
}

/** Waiting ones first, so that none of them begins. */
export function abortAll() {
  for (const { id, status } of all()) if (status === 'PENDING') abortUpload(id)
  for (const { id } of all()) abortUpload(id)
}

/** Puts one that failed, or was called off, back into the queue. */
export function retryUpload(id: string) {
  const upload = all().find((it) => it.id === id)
  if (!upload || isOpen(upload) || upload.status === 'UPLOADED') return
  if (!all().some(isOpen)) batch += 1
  set(id, { ...shownAs('PENDING'), progress: 0, problem: undefined, batch })
  next()
}

/** Takes what is over out of the list. */
export const forgetOver = () => useFileUploads.setState(({ uploads }) => ({ uploads: uploads.filter(isOpen) }))

function forgetAll() {
  abortAll()
  useFileUploads.setState({ uploads: [] })
}

onLost(forgetAll)
// whoever signs in next has begun none of them
useSession.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) forgetAll()
})
