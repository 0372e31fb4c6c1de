import type { Log } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Store } from '../store/store'

const KEEP_TASK_DAYS = 30
const KEEP_CHANGE_SECONDS = 24 * 60 * 60
const KEEP_DEAD_SERVER_DAYS = 1
const EVERY_MS = 10 * 60_000
const BATCH = 500

/** Now and then forgets tasks that ended long ago, and old changes; one server at a time. Answers how to stop it. */
export function startJanitor(tools: { store: Store; inventory: Inventory; log: Log }): () => void {
  const timer = setInterval(() => {
    tidy(tools).catch((error: unknown) => tools.log.warn({ error }, 'old tasks and changes were not removed'))
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** One round of it. */
export async function tidy({ store, inventory }: { store: Store; inventory: Inventory }): Promise<void> {
  const lease = await store.lease('janitor', 60)
  if (!lease) return
  try {
    await inventory.pruneChanges(KEEP_CHANGE_SECONDS)
    await inventory.dropUnusedTables()
    await sql`delete from server where seen_at < now() - make_interval(days => ${KEEP_DEAD_SERVER_DAYS})`.execute(
      store.db,
    )
    for (;;) {
      const { rows } = await sql<{ id: string }>`
        select id from resource
        where kind = 'task' and status in ('success', 'failed', 'cancelled')
          and updated_at < now() - make_interval(days => ${KEEP_TASK_DAYS})
        limit ${BATCH}`.execute(store.db)
      if (rows.length === 0 || lease.signal.aborted) return
      await inventory.transaction(async (records, db) => {
        for (const { id } of rows) await records.remove('task', id)
        // of names that nobody knew
        await db
          .deleteFrom('job')
          .where(
            'id',
            'in',
            rows.map(({ id }) => id),
          )
          .execute()
      })
    }
  } finally {
    await lease.release()
  }
}
