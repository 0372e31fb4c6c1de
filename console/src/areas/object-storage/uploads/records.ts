import type { KeptProject } from '../../../session/kept'
import type { Part } from '../client/multipart'

/*
 * What is known of each upload that is not over, in IndexedDB: it outlives the page, the browser and the sign-out. What the
 * server has of it, the server says.
 */

/** What becomes of an object that has the same key. */
export type IfExists = 'replace' | 'skip' | 'both'

/** One file on its way to a bucket. Sizes in bytes, times in milliseconds since 1970. */
export interface UploadRecord {
  id: string
  /** Id of the user who began it: shown to nobody else. */
  ownerId: string
  /** Where they were when they began it. */
  project: KeptProject | null
  /** The page that has it in its queue; '' for none. */
  page: string
  bucket: string
  key: string
  ifExists: IfExists
  /** Of the file, as it was when it was chosen. */
  name: string
  size: number
  lastModified: number
  /** Leads to the file again, after a permission, in browsers that have it; else the person chooses the file again. */
  handle: FileSystemFileHandle | null
  /** Null until the server knows of it, and always for a file that goes in one piece. */
  uploadId: string | null
  partBytes: number
  parts: readonly Part[]
  /** When the upload began at the server. */
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
      // a page of a later release may want another shape
      request.result.addEventListener('versionchange', () => request.result.close())
      resolve(request.result)
    })
    // refused by the browser: uploads then last as long as the page
    for (const failure of ['error', 'blocked']) request.addEventListener(failure, () => resolve(null))
  })
  return opened
}

/** Does something in a transaction, and answers when that is on the disk; undefined where there is no database. */
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
      // a full disk: the upload itself goes on
      transaction.addEventListener('abort', () => resolve(undefined))
    } catch {
      resolve(undefined)
    }
  })
}

/** Keeps these, each in the place of what was kept of it before. */
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

/** One of them; undefined where it is over. */
export const recordOf = (id: string) => transact<UploadRecord | undefined>('readonly', (records) => records.get(id))

/** All that this user has begun and not finished, the oldest first. */
export async function recordsOf(ownerId: string): Promise<UploadRecord[]> {
  const found = await transact<UploadRecord[]>('readonly', (records) => records.index('ownerId').getAll(ownerId))
  return (found ?? []).toSorted((one, other) => one.begunAt - other.begunAt)
}
