import type { Entity } from '@mainstay/engines/ports/records'
import type { FeedItem } from '@mainstay/engines/ports/feed'
import type { Kysely } from 'kysely'
import type { Database } from '../store/schema'
import type { KindColumns } from './columns'
import { writeRows, type Wanted } from './write'

const BATCH = 500

/** Follows a feed: single changes at once, a resync in batches, and at its end what was not told is removed. */
export function createAbsorb(
  db: Kysely<Database>,
  kinds: ReadonlyMap<string, KindColumns>,
): (item: FeedItem) => Promise<void> {
  /** Kinds in a resync: ids told so far, and rows not written yet. */
  const resyncs = new Map<string, { told: Set<string>; waiting: Map<string, Entity> }>()

  const write = (wanted: Wanted[]): Promise<void> =>
    db.transaction().execute((inside) => writeRows(inside, kinds, wanted))

  async function writeWaiting(kind: string, waiting: Map<string, Entity>): Promise<void> {
    const wanted = [...waiting].map(([id, entity]) => ({ kind, id, entity }))
    waiting.clear()
    await write(wanted)
  }

  async function removeUntold(kind: string, told: ReadonlySet<string>): Promise<void> {
    const rows = await db.selectFrom('resource').select('id').where('kind', '=', kind).execute()
    const gone = rows.filter(({ id }) => !told.has(id)).map(({ id }) => ({ kind, id, entity: null }))
    for (let at = 0; at < gone.length; at += BATCH) await write(gone.slice(at, at + BATCH))
  }

  return async (item) => {
    // how the cloud is reached is no row; whoever follows the feed keeps it
    if (item.op === 'health') return
    const resync = resyncs.get(item.kind)
    switch (item.op) {
      case 'resync':
        // a resync within a resync: the engine began anew
        resyncs.set(item.kind, { told: new Set(), waiting: new Map() })
        return
      case 'synced':
        if (!resync) return
        await writeWaiting(item.kind, resync.waiting)
        await removeUntold(item.kind, resync.told)
        resyncs.delete(item.kind)
        return
      case 'put':
        if (!resync) return write([{ kind: item.kind, id: item.entity.id, entity: item.entity }])
        resync.told.add(item.entity.id)
        resync.waiting.set(item.entity.id, item.entity)
        if (resync.waiting.size >= BATCH) await writeWaiting(item.kind, resync.waiting)
        return
      case 'remove':
        resync?.told.delete(item.id)
        resync?.waiting.delete(item.id)
        await write([{ kind: item.kind, id: item.id, entity: null }])
    }
  }
}
