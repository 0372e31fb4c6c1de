import type { BulkObject, BulkObjectState, BulkRun } from '@mainstay/contract/core/bulk-runs'
import type { Sql } from '@mainstay/engines/ports/engines'

/** A stored bulk run: the call to make for each object, and the user who started it. */
export interface KeptRun {
  id: string
  task_id: string
  kind: string
  action: string
  body: unknown
  query: unknown
  user_id: string
  project_id: string | null
  created_at: Date
}

/** `calling`: the call is in progress, or was in progress when its server died. */
export type KeptState = BulkObjectState | 'calling'

export interface KeptObject extends Omit<BulkObject, 'state'> {
  request_id: string
  state: KeptState
}

const objectColumns = 'number, id, name, request_id, state, task_ids, err_code, error'

export async function insertRun(
  sql: Sql,
  run: Omit<KeptRun, 'created_at'>,
  objects: readonly { id: string; name: string }[],
): Promise<void> {
  const { id, task_id, kind, action, body, query, user_id, project_id } = run
  await sql.query(
    `insert into bulk_run (id, task_id, kind, action, body, query, user_id, project_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, task_id, kind, action, JSON.stringify(body ?? null), JSON.stringify(query ?? null), user_id, project_id],
  )
  await sql.query(
    `insert into bulk_object (run_id, number, id, name)
      select $1, number, id, name from unnest($2::text[], $3::text[]) with ordinality as it (id, name, number)`,
    [id, objects.map((it) => it.id), objects.map((it) => it.name)],
  )
}

export async function findRun(sql: Sql, id: string): Promise<KeptRun | null> {
  if (id.includes('\0')) return null
  const [row] = await sql.query<KeptRun>('select * from bulk_run where id = $1', [id])
  return row ?? null
}

/** Counts the objects of a run by state. */
export async function countStates(sql: Sql, runId: string): Promise<BulkRun['states']> {
  const rows = await sql.query<{ state: KeptState; count: number }>(
    'select state, count(*)::int as count from bulk_object where run_id = $1 group by state',
    [runId],
  )
  const counts = { waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 }
  for (const { state, count } of rows) counts[shownState(state)] += count
  return counts
}

export const shownState = (state: KeptState): BulkObjectState => (state === 'calling' ? 'running' : state)

/**
 * Lists a run's objects in the given states, in order of their numbers. `after`: number of the previous page's last
 * object.
 */
export const listObjects = (
  sql: Sql,
  runId: string,
  states: readonly KeptState[],
  { after = 0, limit }: { after?: number; limit: number },
): Promise<KeptObject[]> =>
  sql.query<KeptObject>(
    `select ${objectColumns} from bulk_object where run_id = $1 and state = any($2::text[]) and number > $3
      order by number limit $4`,
    [runId, states, after, limit],
  )

type ObjectChange = { state: KeptState } & Partial<Pick<KeptObject, 'task_ids' | 'err_code' | 'error'>>

/** Stores an object's state and the result of its call. */
export async function setObject(
  sql: Sql,
  runId: string,
  number: number,
  { state, task_ids = [], err_code = null, error = null }: ObjectChange,
): Promise<void> {
  await sql.query(
    'update bulk_object set state = $3, task_ids = $4, err_code = $5, error = $6 where run_id = $1 and number = $2',
    [runId, number, state, task_ids, err_code, error],
  )
}

/** Cancels the objects whose call has not started yet. */
export async function cancelWaiting(sql: Sql, runId: string): Promise<void> {
  await sql.query(`update bulk_object set state = 'cancelled' where run_id = $1 and state = 'waiting'`, [runId])
}

/** Deletes runs whose tasks have been pruned. */
export async function pruneRuns(sql: Sql): Promise<void> {
  await sql.query(
    `delete from bulk_run where created_at < now() - interval '1 day'
      and not exists (select from resource where kind = 'task' and resource.id = bulk_run.task_id)`,
  )
}
