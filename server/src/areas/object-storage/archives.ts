import type { Readable } from 'node:stream'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { lastNameOf, MOST_ARCHIVE_ENTRIES, type S3Archive } from '@mainstay/contract/object-storage/s3-files'
import { cleanPath, uniquePaths } from '../../archives/names'
import { preparedArchives } from '../../archives/prepared'
import type { Opened, ZipEntry } from '../../archives/zip'
import type { OwnS3 } from '../../proxies/s3/own-calls'
import { S3Refusal } from '../../proxies/s3/s3-refusal'

interface ArchiveDraft {
  bucket: string
  folder: string
  keys: readonly string[]
}

interface Listed extends ZipEntry {
  key: string
  etag: string
}

const tooMany = () => fieldProblem('keys', 'objectStorage.archive_too_large', { most: MOST_ARCHIVE_ENTRIES })

/**
 * Lists the objects in an archive. Throws a `validation` error if there are too many, and `not_found` if the bucket
 * does not exist.
 */
async function entriesOf(s3: OwnS3, { bucket, folder, keys }: ArchiveDraft): Promise<Listed[]> {
  const found = new Map<string, { etag: string; size: number; modified: string }>()
  for (const key of new Set(keys)) {
    const isFolder = key === '' || key.endsWith('/')
    for (let after = '', isLast = false; !isLast;) {
      const page = await s3.list(bucket, key, after)
      for (const object of page.objects) if (isFolder || object.key === key) found.set(object.key, object)
      if (found.size > MOST_ARCHIVE_ENTRIES) throw tooMany()
      // for a file, its key is the prefix, and the file is the first object in the list
      isLast = page.isLast || !isFolder
      after = page.objects.at(-1)?.key ?? ''
    }
  }
  const relative = (key: string) => cleanPath(key.startsWith(folder) ? key.slice(folder.length) : key)
  // the folder itself gets no entry
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
  AccessDenied: 'no permission to read it',
}

/**
 * Opens an object for an archive. Returns the reason if it was deleted, was changed or cannot be read. Throws if S3 does
 * not respond.
 */
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
  /** Prepares an archive for a user. Replaces any archive that the user has not downloaded yet. */
  prepare(userId: string, s3: OwnS3, draft: ArchiveDraft): Promise<S3Archive>
  /**
   * Returns a prepared archive, which is then removed. Throws `not_found`, and `too_many_requests` if the user is
   * already downloading an archive.
   */
  fetch(userId: string, id: string, s3: OwnS3): { bytes: Readable; size: number; name: string }
}

export function createArchives(): Archives {
  const archives = preparedArchives<Listed>()
  return {
    async prepare(userId, s3, draft) {
      archives.refuseSecond(userId)
      return archives.keep(userId, { from: draft.bucket, name: nameOf(draft), entries: await entriesOf(s3, draft) })
    },
    fetch: (userId, id, s3) => archives.fetch(userId, id, (entry, bucket) => openEntry(s3, bucket, entry)),
  }
}
