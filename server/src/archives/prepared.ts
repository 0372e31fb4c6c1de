import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { ARCHIVE_SECONDS } from '@mainstay/contract/object-storage/s3-files'
import { sizeOfZip, zipOf, type Opened, type ZipEntry } from './zip'

/*
 * A zip archive is prepared first, by a call with a body, and then downloaded once by the browser, which only sends a URL
 * and the session cookie. Prepared archives are kept in memory, and each user has one download at a time.
 */

/** An archive that has been prepared but not downloaded yet. `from`: the bucket or the recovery point. */
interface Prepared<Entry extends ZipEntry> {
  id: string
  from: string
  name: string
  entries: readonly Entry[]
  size: number
  ends: number
}

/** Maximum number of prepared archives of all users. */
const MOST_KEPT = 64

export function preparedArchives<Entry extends ZipEntry>(now = Date.now) {
  const kept = new Map<string, Prepared<Entry>>()
  const going = new Set<string>()
  const refuseSecond = (userId: string) => {
    if (going.has(userId)) throw problem('objectStorage.archive_running')
  }
  const forget = () => {
    for (const [userId, { ends }] of kept) if (ends <= now()) kept.delete(userId)
    for (const userId of kept.keys()) if (kept.size >= MOST_KEPT) kept.delete(userId)
  }

  return {
    /** Throws a `too_many_requests` error if the user is downloading an archive. */
    refuseSecond,
    /** Keeps an archive for a user. Replaces any archive that the user has not downloaded yet. */
    keep(userId: string, { from, name, entries }: Pick<Prepared<Entry>, 'from' | 'name' | 'entries'>) {
      refuseSecond(userId)
      if (entries.length === 0) throw problem('objectStorage.archive_empty')
      kept.delete(userId)
      forget()
      const { size } = sizeOfZip(entries)
      const one = { id: randomUUID(), from, name, entries, size }
      const ends = now() + ARCHIVE_SECONDS * 1000
      kept.set(userId, { ...one, ends })
      return { id: one.id, name, entries: entries.length, size, expires_at: new Date(ends).toISOString() }
    },
    /**
     * Returns a prepared archive, which is then removed. Throws `not_found`, and `too_many_requests` if the user is already
     * downloading an archive. `open` opens an entry.
     */
    fetch(
      userId: string,
      id: string,
      open: (entry: Entry, from: string) => Promise<Opened>,
      isOf: (from: string) => boolean = () => true,
    ): { bytes: Readable; size: number; name: string } {
      const found = kept.get(userId)
      if (!found || found.id !== id || found.ends <= now() || !isOf(found.from)) throw notFound()
      refuseSecond(userId)
      kept.delete(userId)
      going.add(userId)
      const { from, entries, size, name } = found
      const bytes = zipOf(entries, (_, at) => open(entries[at]!, from))
      bytes.once('close', () => going.delete(userId))
      return { bytes, size, name }
    },
  }
}
