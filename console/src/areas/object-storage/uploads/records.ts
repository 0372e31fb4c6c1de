import type { KeptProject } from '../../../session/kept'
import type { Part } from '../client/multipart'

/*
 * Unfinished uploads are recorded in IndexedDB. The records survive reloads, browser restarts and signing out. The
 * server is the authority on which parts it has.
 */

/** What to do if an object with the same key exists. */
export type IfExists = 'replace' | 'skip' | 'both'

/** An unfinished upload. Sizes in bytes, times in milliseconds since 1970. */
export interface UploadRecord {
  id: string
  /** ID of the user who started the upload; other users do not see it. */
  ownerId: string
  /** The project in which the upload was started. */
  project: KeptProject | null
  /** ID of the page whose queue contains the upload; empty if none does. */
  page: string
  bucket: string
  key: string
  ifExists: IfExists
  /** Properties of the file when it was chosen. */
  name: string
  size: number
  lastModified: number
  /** Allows reopening the file with the user's permission; without it, the user has to choose the file again. */
  handle: FileSystemFileHandle | null
  /**
   * ID of the multipart upload. Null until the upload has started on the server, and always for an upload in one
   * request.
   */
  uploadId: string | null
  partBytes: number
  parts: readonly Part[]
  /** When the upload started on the server. */
  begunAt: number
}

const database = 'mainstay-uploads'
const store = 'records'
let opened: Promise<IDBDatabase | null> | undefined

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    if (typeof indexedDB === 'undefined') return resolve(null)
    const request = indexedDB.open(database, 1)
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore(store, { keyPath: 'id' }).createIndex('ownerId', 'ownerId'),
    )
    request.addEventListener('success', () => {
      // let a newer release in another tab upgrade the database
      request.result.addEventListener('versionchange', () => request.result.close())
      resolve(request.result)
    })
    // the browser blocks the database: records then last only as long as the page
    for (const failure of ['error', 'blocked']) request.addEventListener(failure, () => resolve(null))
  })
  return opened
}

/** Runs a transaction and resolves once its changes are durable; undefined if there is no database. */
async function transact<Result>(
  mode: IDBTransactionMode,
  run: (records: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  const there = await open()
  if (!there) return undefined
  return new Promise((resolve) => {
    try {
      const transaction = there.transaction(store, mode, { durability: 'strict' })
      const request = run(transaction.objectStore(store))
      transaction.addEventListener('complete', () => resolve(request?.result))
      // a transaction can fail, for example because the disk is full; the upload itself continues
      transaction.addEventListener('abort', () => resolve(undefined))
    } catch {
      resolve(undefined)
    }
  })
}

/** Saves records, replacing earlier ones. */
export const putRecords = (changed: readonly UploadRecord[]) =>
  transact<unknown>('readwrite', (records) => {
    for (const record of changed) records.put(record)
    return undefined
  })

export const dropRecords = (ids: readonly string[]) =>
  transact<unknown>('readwrite', (records) => {
    for (const id of ids) records.delete(id)
    return undefined
  })

/** An upload's record; undefined if the upload is finished. */
export const recordOf = (id: string) => transact<UploadRecord | undefined>('readonly', (records) => records.get(id))

/** All of this user's unfinished uploads, oldest first. */
export async function recordsOf(ownerId: string): Promise<UploadRecord[]> {
  const found = await transact<UploadRecord[]>('readonly', (records) => records.index('ownerId').getAll(ownerId))
  return (found ?? []).toSorted((one, other) => one.begunAt - other.begunAt)
}
