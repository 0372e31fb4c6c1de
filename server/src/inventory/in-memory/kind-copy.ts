import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Database } from '../../store/schema'
import type { KindColumns } from '../columns'
import type { OtherVersions } from '../other-versions'
import { findPlaces, type CopyQuery, type FoundPlaces } from './find-places'
import { readChanges, readTable } from './read-table'
import type { TableCopy } from './table-copy'

export interface CopyLimits {
  /** Of larger tables no copy is made. */
  mostRows: number
  /** A copy that no list has used for so long is forgotten; one that could not be made is tried again. */
  idleMs: number
  /** How long a list waits for a copy that is behind. */
  patienceMs: number
}

/** How far the side tables are. */
export type Versions = Pick<OtherVersions, 'position' | 'follow'>

/** The copy of one kind's side table: made when it is wanted, kept as new as the database, forgotten when it is not used. */
export interface KindCopy {
  /** Null while there is no copy, or none as new as this revision. */
  find(query: CopyQuery, head: number): Promise<FoundPlaces | null>
  isMade(): boolean
  /** Something was committed. */
  follow(): void
  forget(): void
}

export function createKindCopy(
  { db, log, limits, versions }: { db: Kysely<Database>; log: Log; limits: CopyLimits; versions: Versions },
  columns: KindColumns,
): KindCopy {
  const kind = columns.kind.name
  let current: { copy: TableCopy; revision: number } | null = null
  let making: AbortController | null = null
  let notBefore = 0
  let pass: Promise<void> | null = null
  let isMoreToFollow = false
  let idle: NodeJS.Timeout | undefined
  const searches = new Set<Promise<unknown>>()

  function forget(): void {
    current = null
    making?.abort()
    clearTimeout(idle)
  }

  async function make(): Promise<void> {
    if (making || Date.now() < notBefore) return
    const { signal } = (making = new AbortController())
    const started = performance.now()
    try {
      const { mostRows } = limits
      const read = await readTable(db, columns, { mostRows, shown: versions.position() }, signal)
      if (signal.aborted) return
      if (!read) return postpone()
      current = read
      idle = setTimeout(forget, limits.idleMs).unref()
      log.info(
        { kind, rows: read.copy.size, took_ms: Math.round(performance.now() - started) },
        'copied the index of a kind into memory',
      )
    } catch (error) {
      if (signal.aborted) return
      log.warn({ error, kind }, 'the index of a kind could not be copied into memory')
      postpone()
    } finally {
      making = null
    }
    follow()
  }
  const postpone = (): void => void (notBefore = Date.now() + limits.idleMs)

  function follow(): void {
    isMoreToFollow = true
    pass ??= passOnce().finally(() => {
      pass = null
      if (isMoreToFollow && current) follow()
    })
  }

  async function passOnce(): Promise<void> {
    isMoreToFollow = false
    const followed = current
    if (!followed) return
    try {
      await versions.follow()
      const changes = await readChanges(db, columns, { after: followed.revision, shown: versions.position() })
      // whoever looks through the copy sees one state of it
      while (searches.size > 0) await Promise.allSettled(searches)
      if (followed !== current) return
      if (!changes) return forget()
      for (const row of changes.put) followed.copy.put(row)
      for (const id of changes.removed) followed.copy.remove(id)
      if (followed.copy.size > limits.mostRows) return forget()
      isMoreToFollow ||= changes.isPart
      followed.revision = changes.revision
    } catch (error) {
      if (followed !== current) return
      log.warn({ error, kind }, 'a copy in memory could not follow the index')
      forget()
    }
  }

  async function reach(head: number): Promise<void> {
    while (current && current.revision < head) {
      if (!pass) follow()
      await pass
    }
  }

  return {
    async find(query, head) {
      if (!current) {
        void make()
        return null
      }
      idle?.refresh()
      if (current.revision < head) await Promise.race([reach(head), sleep(limits.patienceMs)])
      if (!current || current.revision < head) return null
      const search = findPlaces(current.copy, query)
      searches.add(search)
      return search.finally(() => searches.delete(search))
    },
    isMade: () => current !== null,
    follow() {
      if (current) follow()
    },
    forget,
  }
}
