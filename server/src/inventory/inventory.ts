import { allKinds } from '@mainstay/contract/resources'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Log } from '@mainstay/engines/ports/records'
import type { Store } from '../store/store'
import { createObservations } from './observations'
import { CHANGED_CHANNEL, createAnnouncements, numberChanges } from './announcements'
import { deletingRows, setDeletionLock } from './deletion-locks'
import { columnsOf as tablesOf, type KindColumns } from './columns'
import { dropUnusedTables, prepareKinds, withoutIndexes } from './kind-tables'
import { facetsOf } from './lists/facets'
import { findNamed } from './lists/find-named'
import { listPage } from './lists/list'
import { followOtherVersions } from './other-versions'
import { aggregateRows, changesAfter, countRowsBy, pruneChanges, rowsOf, severalRows, viewRow } from './read'
import { analyzeGrown } from './statistics'
import { runTransaction, SERVER } from './transaction'
import type { Inventory, RowSource } from './types'
import { mergeByKind } from './unreadable'
import { isVisible, ownedBy, redactFor } from './visibility'

/** Creates the inventory on a migrated database, after creating or rebuilding the side tables of the kinds. */
export async function createInventory(tools: {
  store: Store
  log: Log
  kinds?: Record<string, Kind>
  /** Tells other servers the signatures of the side tables that this server uses. */
  declareTables?: (signatures: string[]) => Promise<void>
}): Promise<Inventory> {
  const { store, log, kinds = allKinds, declareTables } = tools
  const { db } = store
  // announce first, so that no other server drops a table that this one is about to use
  await declareTables?.(Object.values(kinds).map((kind) => tablesOf(kind).signature))
  const tables = await prepareKinds(db, log, Object.values(kinds))
  const prepared = tables.columns
  const columnsOf = ({ name }: Kind): KindColumns => {
    const columns = prepared.get(name)
    if (!columns) throw new Error(`the inventory does not know the kind "${name}"`)
    return columns
  }
  const listeners = new Set<() => void>()
  const announcements = createAnnouncements(db, log)
  const versions = await followOtherVersions({ db, log }, tables)
  const stopListening = await store.listen(CHANGED_CHANNEL, () => {
    versions.follow().catch((error: unknown) => log.warn({ error }, 'the index failed to follow other servers'))
    for (const listener of listeners) listener()
  })
  // catch up on changes announced before this server was listening
  await versions.follow()

  const sources = new Map<string, RowSource>()
  function from(source: string): RowSource {
    const known = sources.get(source)
    if (known) return known
    if (!/^[a-z]/.test(source)) throw new Error(`"${source}" cannot name a source of rows`)
    const others = () => [...sources.keys()].filter((other) => other !== source)
    const made: RowSource = {
      source,
      ...createObservations({ db, kinds: prepared, announcements, log, source, others }),
      transaction: (work) => runTransaction({ db, kinds: prepared, announcements, source }, work),
      bulk: (names, work) =>
        withoutIndexes(
          db,
          [...prepared.values()].filter(({ kind }) => names.includes(kind.name)),
          work,
        ),
    }
    sources.set(source, made)
    return made
  }

  return {
    ...from(SERVER),
    from,
    unreadable: () => mergeByKind(...[...sources.values()].map((it) => it.unreadable())),
    kinds: new Map(Object.values(kinds).map((kind) => [kind.name, kind])),
    list: (kind, scope, query) => listPage({ db, versions }, columnsOf(kind), scope, query),
    named: (asked, scope, text, limit) => findNamed(db, asked.map(columnsOf), scope, text, limit),
    facets: (kind, scope, query, bounds) => facetsOf(db, columnsOf(kind), scope, query, bounds),
    view: (kind, scope, id) => viewRow(db, kind, scope, id),
    several: (kind, scope, ids) => severalRows(db, kind, scope, ids),
    async setDeletionLock(kind, scope, id, lock) {
      await viewRow(db, kind, scope, id)
      return setDeletionLock(from(SERVER).transaction, kind, id, lock)
    },
    deleting: (deletion, command) => deletingRows(db, deletion, command),
    rowsOf: (kind, ids) => rowsOf(db, kind, ids),
    redactFor,
    revision: () => numberChanges(db),
    async revisionOf(kind, id) {
      const row = await db
        .selectFrom('resource')
        .select('revision')
        .where('kind', '=', kind.name)
        .where('id', '=', id.replaceAll('\0', '\uFFFD'))
        .executeTakeFirst()
      return row?.revision ?? null
    },
    changesSince: (revision, limit) => changesAfter(db, revision, limit),
    onCommitted(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    canReceive: (kind, scope, entity, change) => isVisible(kind, scope, entity ? ownedBy(kind, entity) : change),
    countBy: (kind, scope, path) => countRowsBy(db, columnsOf(kind), scope, path),
    aggregate: (kind, scope, query, filters) => aggregateRows(db, columnsOf(kind), scope, query, filters),
    analyzeGrown: () => analyzeGrown(db),
    pruneChanges: (seconds) => pruneChanges(db, seconds),
    dropUnusedTables: () => dropUnusedTables(db),
    close() {
      stopListening()
      announcements.close()
      versions.close()
    },
  }
}
