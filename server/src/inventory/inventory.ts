import { allKinds } from '@mainstay/contract/all'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Log } from '@mainstay/engines/ports/records'
import type { Store } from '../store/store'
import { createAbsorb } from './absorb'
import type { KindColumns } from './columns'
import { createCopies, type CopySettings } from './in-memory/copies'
import { startJob } from './jobs'
import { prepareKinds } from './kind-tables'
import { listPage } from './list'
import { changesAfter, countRowsBy, pruneChanges, rowsOf, severalRows, viewRow } from './read'
import { runTransaction } from './transaction'
import type { Inventory } from './types'
import { isVisible, ownedBy, present } from './visibility'
import { CHANGED_CHANNEL } from './write'

/** The inventory of a database whose schema is up to date; makes or renews the tables of the kinds first. */
export async function createInventory(tools: {
  store: Store
  log: Log
  kinds?: Record<string, Kind>
  /** Other limits of the copies in memory than the usual ones. */
  copySettings?: Partial<CopySettings>
}): Promise<Inventory> {
  const { store, log, kinds = allKinds, copySettings = {} } = tools
  const { db } = store
  const prepared = await prepareKinds(db, log, Object.values(kinds))
  const columnsOf = ({ name }: Kind): KindColumns => {
    const columns = prepared.get(name)
    if (!columns) throw new Error(`the inventory was not told of the kind "${name}"`)
    return columns
  }
  const listeners = new Set<() => void>()
  const copies = createCopies({ db, log, settings: copySettings })
  const stopListening = await store.listen(CHANGED_CHANNEL, () => {
    copies.follow()
    for (const listener of listeners) listener()
  })

  return {
    kinds: new Map(Object.values(kinds).map((kind) => [kind.name, kind])),
    list: (kind, scope, query) => listPage({ db, copies }, columnsOf(kind), scope, query),
    view: (kind, scope, id) => viewRow(db, kind, scope, id),
    several: (kind, scope, ids) => severalRows(db, kind, scope, ids),
    rowsOf: (kind, ids) => rowsOf(db, kind, ids),
    present,
    async revision() {
      return (await db.selectFrom('revision').select('value').executeTakeFirstOrThrow()).value
    },
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
    mayHear: (kind, scope, entity, change) => isVisible(kind, scope, entity ? ownedBy(kind, entity) : change),
    ...createAbsorb(db, prepared),
    countBy: (kind, scope, path) => countRowsBy(db, columnsOf(kind), scope, path),
    pruneChanges: (seconds) => pruneChanges(db, seconds),
    transaction: (work) => runTransaction(db, prepared, startJob, work),
    close() {
      stopListening()
      copies.close()
    },
  }
}
