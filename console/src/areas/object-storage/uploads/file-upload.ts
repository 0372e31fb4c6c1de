import type { CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import { sessionNow } from '../../../session/session'
import { BadIcon, BusyIcon, ClockIcon, IdleIcon, OkIcon, type Icon } from '../../../ui/icons'
import type { Sending } from '../client/send-body'
import { nameOf, typeOf } from '../files/file-row'
import { bytesOfParts, partBytesOf } from './parts'
import type { PutProgress } from './put-file'
import type { IfExists, UploadRecord } from './records'
import { ownPage } from './tabs'

/** S1§4: one file is sent at a time; the others wait. */
export type UploadStatus = 'PENDING' | 'PROGRESS' | 'UPLOADED' | 'FAILED' | 'CANCELED'

/** A chosen or dropped file, or null for an empty folder. `path`: relative path, `photos/a.jpg`. */
export interface Picked {
  path: string
  file: File | null
  /** Allows reopening the file after a reload, in browsers that support it. */
  handle?: FileSystemFileHandle | undefined
}

/** A file in the queue (S1§3). */
export interface FileUpload {
  id: string
  bucketName: string
  file: File | null
  status: UploadStatus
  statusText: string
  statusIcon: Icon
  /** 0 to 100. For a multipart upload, the share stored on the server. */
  progress: number
  /** Bytes sent so far, including the current part. */
  goneBytes: number
  /** The part being sent. */
  part: PutProgress['part']
  request: Sending | null
  /** The object key. */
  fullPath: string
  /** The target folder, with a trailing slash. */
  folderPath: string
  /** Lowercase file extension. */
  type: string
  name: string
  isFolder: boolean
  ifExists: IfExists
  problem: CallProblem | undefined
  /** Uploads of the same batch share one notification. */
  batch: number
  /** Paused until the user resumes it. */
  isPaused: boolean
  /** The persistent record; null for a folder. */
  record: UploadRecord | null
}

const icons: Readonly<Record<UploadStatus, Icon>> = {
  PENDING: ClockIcon,
  PROGRESS: BusyIcon,
  UPLOADED: OkIcon,
  FAILED: BadIcon,
  CANCELED: IdleIcon,
}

export const shownAs = (status: UploadStatus) => ({
  status,
  statusText: textsNow('objectStorage')(`upload.${status}`),
  statusIcon: icons[status],
})

/** Whether the file is waiting or being sent. */
export const isOpen = ({ status }: Pick<FileUpload, 'status'>) => status === 'PENDING' || status === 'PROGRESS'

/** Whether the file is being sent or is waiting for its turn, that is, not paused. */
export const isActive = (upload: FileUpload) => isOpen(upload) && !upload.isPaused

/** Percentage of a file that is already on the server, according to the upload record. */
export const storedPercent = ({ size, partBytes, parts }: UploadRecord): number =>
  size === 0 ? 0 : (100 * bytesOfParts(size, partBytes, parts)) / size

let made = 0

/** Creates the record for an upload that has not started. */
export function newRecord(bucket: string, key: string, file: File, handle: FileSystemFileHandle | null): UploadRecord {
  const { user, project } = sessionNow()
  return {
    ...{ id: `${ownPage}-${++made}`, ownerId: user?.id ?? '', project, page: ownPage, bucket, key },
    ...{ ifExists: 'replace', name: file.name, size: file.size, lastModified: file.lastModified, handle },
    ...{ uploadId: null, partBytes: partBytesOf(file.size), parts: [], begunAt: Date.now() },
  }
}

/** A file's target, as shown in the queue. */
export function placeOf(key: string) {
  const name = nameOf(key)
  const isFolder = key.endsWith('/')
  return {
    ...{ fullPath: key, folderPath: key.slice(0, key.length - name.length - (isFolder ? 1 : 0)), isFolder },
    ...{ type: typeOf(name), name },
  }
}

/** Creates the queue entry for a file. */
export const waitingUpload = (
  bucketName: string,
  key: string,
  { file, record, ifExists }: Pick<FileUpload, 'file' | 'record' | 'ifExists'>,
): FileUpload => ({
  ...{ id: record?.id ?? `${ownPage}-${++made}`, bucketName, file, record, ifExists, ...placeOf(key) },
  ...{ ...shownAs('PENDING'), isPaused: false, problem: undefined, batch: 0 },
  ...{ progress: record ? storedPercent(record) : 0, goneBytes: 0, part: null, request: null },
})

/** Adds a number to the name in a key: `photos/a.jpg` becomes `photos/a (2).jpg`. */
export function numbered(key: string, number: number): string {
  const name = nameOf(key)
  const type = typeOf(name)
  const stem = type === '' ? name : name.slice(0, -type.length - 1)
  const ending = type === '' ? '' : name.slice(-type.length - 1)
  return `${key.slice(0, key.length - name.length)}${stem} (${number})${ending}`
}
