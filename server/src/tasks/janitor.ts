import { sql } from 'kysely'
import type { Inventory } from '../inventory/types'

const KEEP_TASK_DAYS = 30
const KEEP_CHANGE_SECONDS = 24 * 60 * 60
const KEEP_DEAD_SERVER_DAYS = 1
const BATCH = 500

/** Deletes old tasks, old changes and dead servers. */
export async function tidy(inventory: Inventory, signal?: AbortSignal): Promise<void> {
  await inventory.pruneChanges(KEEP_CHANGE_SECONDS)
  await inventory.dropUnusedTables()
  await inventory.transaction((_, db) =>
    sql`delete from server where seen_at < now() - make_interval(days => ${KEEP_DEAD_SERVER_DAYS})`.execute(db),
  )
  for (let removed = BATCH; removed === BATCH && !signal?.aborted;) removed = await removeOldTasks(inventory)
}

const removeOldTasks = (inventory: Inventory): Promise<number> =>
  inventory.transaction(async (records, db) => {
    const { rows } = await sql<{ id: string }>`
      select id from resource
      where kind = 'task' and status in ('success', 'failed', 'cancelled')
        and updated_at < now() - make_interval(days => ${KEEP_TASK_DAYS})
      limit ${BATCH}`.execute(db)
    for (const { id } of rows) await records.remove('task', id)
    // jobs that were set aside because no server knew their name
    await sql`delete from job where id = any(${rows.map(({ id }) => id)}::text[])`.execute(db)
    return rows.length
  })
