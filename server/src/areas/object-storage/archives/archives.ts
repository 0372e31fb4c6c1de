import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import {
  ARCHIVE_SECONDS,
  lastNameOf,
  MOST_ARCHIVE_ENTRIES,
  type S3Archive,
} from '@mainstay/contract/object-storage/s3-files'
import type { OwnS3 } from '../../../proxies/s3/own-calls'
import { S3Refusal } from '../../../proxies/s3/s3-refusal'
import { cleanPath, uniquePaths } from './names'
import { sizeOfZip, zipOf, type Opened, type ZipEntry } from './zip'

interface ArchiveDraft {
  bucket: string
  folder: string
  keys: readonly string[]
}

interface Listed extends ZipEntry {
  key: string
  etag: string
}

/** An archive that was asked for, and not fetched yet. */
export interface Prepared {
  id: string
  bucket: string
  name: string
  entries: readonly Listed[]
  size: number
  ends: number
}

const tooMany = () => fieldProblem('keys', 'objectStorage.archive_too_large', { most: MOST_ARCHIVE_ENTRIES })

/** Everything that an archive is made of. Throws `validation` where that is too much, `not_found` where it is nothing. */
async function entriesOf(s3: OwnS3, { bucket, folder, keys }: ArchiveDraft): Promise<Listed[]> {
  const found = new Map<string, { etag: string; size: number; modified: string }>()
  for (const key of new Set(keys)) {
    const isFolder = key === '' || key.endsWith('/')
    for (let after = '', isLast = false; !isLast;) {
      const page = await s3.list(bucket, key, after)
      for (const object of page.objects) if (isFolder || object.key === key) found.set(object.key, object)
      if (found.size > MOST_ARCHIVE_ENTRIES) throw tooMany()
      // a file is the first of all that begin with its key
      isLast = page.isLast || !isFolder
      after = page.objects.at(-1)?.key ?? ''
    }
  }
  const relative = (key: string) => cleanPath(key.startsWith(folder) ? key.slice(folder.length) : key)
  // the folder itself is no entry
  const kept = [...found].filter(([key]) => relative(key) !== '')
  const paths = uniquePaths(kept.map(([key]) => relative(key)))
  return kept.map(([key, { etag, size, modified }], at) => {
    const path = paths[at]!
    return { key, etag, path, size: path.endsWith('/') ? 0 : size, modified: new Date(modified) }
  })
}

const nameOf = ({ bucket, folder, keys }: ArchiveDraft): string =>
  `${cleanPath(lastNameOf(keys.length === 1 ? keys[0]! : folder)) || bucket}.zip`

const reasons: Readonly<Record<string, string>> = {
  NoSuchKey: 'deleted since the download began',
  NoSuchBucket: 'deleted since the download began',
  PreconditionFailed: 'changed since the download began',
  AccessDenied: 'you may not read it',
}

/** The bytes of an entry. What S3 does not give is told; where it does not answer, the archive fails. */
async function openEntry(s3: OwnS3, bucket: string, { key, etag }: Listed): Promise<Opened> {
  try {
    return await s3.get({ bucket, key }, etag)
  } catch (error) {
    const missing = error instanceof S3Refusal ? reasons[error.code] : undefined
    if (missing === undefined) throw error
    return { missing }
  }
}

export interface Archives {
  /** Lists what is to be in an archive of a person; it takes the place of one that they did not fetch. */
  prepare(userId: string, s3: OwnS3, draft: ArchiveDraft): Promise<S3Archive>
  /** The archive, once. Throws `not_found`, and `too_many_requests` while another one of theirs is fetched. */
  fetch(userId: string, id: string, s3: OwnS3): { bytes: Readable; size: number; name: string }
}

/** Kept at once, of all people. */
const MOST_KEPT = 64

/** Archives that were asked for, and those that are fetched: one of a person at a time. */
export function createArchives(now = Date.now): Archives {
  const kept = new Map<string, Prepared>()
  const going = new Set<string>()
  const refuseSecond = (userId: string) => {
    if (going.has(userId)) throw problem('objectStorage.archive_running')
  }
  const forget = () => {
    for (const [userId, { ends }] of kept) if (ends <= now()) kept.delete(userId)
    for (const userId of kept.keys()) if (kept.size >= MOST_KEPT) kept.delete(userId)
  }

  return {
    async prepare(userId, s3, draft) {
      refuseSecond(userId)
      const entries = await entriesOf(s3, draft)
      if (entries.length === 0) throw problem('objectStorage.archive_empty')
      kept.delete(userId)
      forget()
      const { size } = sizeOfZip(entries)
      const one = { id: randomUUID(), bucket: draft.bucket, name: nameOf(draft), entries, size }
      const ends = now() + ARCHIVE_SECONDS * 1000
      kept.set(userId, { ...one, ends })
      return { id: one.id, name: one.name, entries: entries.length, size, expires_at: new Date(ends).toISOString() }
    },
    fetch(userId, id, s3) {
      const found = kept.get(userId)
      if (!found || found.id !== id || found.ends <= now()) throw notFound()
      refuseSecond(userId)
      kept.delete(userId)
      going.add(userId)
      const { bucket, entries, size, name } = found
      const bytes = zipOf(entries, (_, at) => openEntry(s3, bucket, entries[at]!))
      bytes.once('close', () => going.delete(userId))
      return { bytes, size, name }
    },
  }
}
