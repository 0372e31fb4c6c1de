import { taskIsOver } from '@mainstay/contract/core/tasks'
import { sql, type Kysely } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import { DEAD_AFTER_SECONDS } from '../store/servers'
import type { TaskRow } from './running'

const AT_ONCE = 50

/** Marks tasks that are due as waiting for their node if no live server can reach it. */
export async function markUnreachable(db: Kysely<Database>, inventory: Inventory): Promise<void> {
  const { rows } = await sql<{ id: string; node: string }>`
    select job.id, job.node from job
    join resource task on task.kind = 'task' and task.id = job.id
    where job.node is not null and job.owner is null and job.not_before <= now()
      and task.body ->> 'unreachable_node' is distinct from job.node
      and not exists (
        select from server where job.node = any(server.nodes)
          and seen_at > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
    limit ${AT_ONCE}`.execute(db)
  for (const { id, node } of rows)
    await inventory.transaction(async (records, inside) => {
      // lock the job first, like a task that is ending; a job that has an owner is not waiting
      const job = await inside.selectFrom('job').select('owner').where('id', '=', id).forUpdate().executeTakeFirst()
      const task = await records.lock<TaskRow>('task', id)
      if (!job || job.owner !== null || !task || taskIsOver(task.state)) return
      await records.put('task', { ...task, unreachable_node: node, updated_at: new Date().toISOString() })
    })
}
