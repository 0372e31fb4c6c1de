import { MOST_FAULTS, type S3Run, type S3RunDraft, type S3RunFault } from '@mainstay/contract/object-storage/s3-files'
import type { Sql } from '@mainstay/engines/ports/engines'

/**
 * An object in a batch. `source`: index of the file or folder in the run. ETag and size are set if known from a
 * listing.
 */
export interface BatchObject {
  key: string
  source: number
  etag: string | null
  size?: number
}

/** Settings of a run, without its progress. */
export interface RunPlan extends Pick<S3RunDraft, 'action' | 'bucket' | 'keys' | 'overwrite'> {
  target: S3RunDraft['to'] | null
}

/** A stored run with its settings, owner and progress. */
export interface KeptRun extends RunPlan {
  id: string
  task_id: string
  user_id: string
  state: S3Run['state']
  at: number
  cursor: string
  batch: BatchObject[] | null
  done: number
  failed: number
  faults: S3RunFault[]
}

export async function insertRun(
  sql: Sql,
  {
    id,
    task_id,
    user_id,
    action,
    bucket,
    keys,
    target,
    overwrite,
  }: Pick<KeptRun, 'id' | 'task_id' | 'user_id'> & RunPlan,
): Promise<void> {
  await sql.query(
    `insert into s3_run (id, task_id, user_id, action, bucket, keys, target, overwrite)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, task_id, user_id, action, bucket, JSON.stringify(keys), target && JSON.stringify(target), overwrite],
  )
}

export async function findRun(sql: Sql, id: string): Promise<KeptRun | null> {
  if (id.includes('\0')) return null
  const [row] = await sql.query<KeptRun>('select * from s3_run where id = $1', [id])
  return row ?? null
}

/** Counts the unfinished runs of a user. */
export async function countRunning(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from s3_run where user_id = $1 and state = 'running'`,
    [userId],
  )
  return row!.count
}

/** Stores the objects of a batch and the position of the next batch. Must be called before the batch is processed. */
export async function beginBatch(
  sql: Sql,
  { id }: Pick<KeptRun, 'id'>,
  { batch, at, cursor }: Pick<KeptRun, 'batch' | 'at' | 'cursor'>,
): Promise<void> {
  await sql.query('update s3_run set batch = $2, at = $3, cursor = $4 where id = $1', [
    ...[id, JSON.stringify(batch), at, cursor],
  ])
}

/** Stores the outcome of a batch. */
export async function endBatch(
  sql: Sql,
  { id }: Pick<KeptRun, 'id'>,
  { done, faults }: { done: number; faults: readonly S3RunFault[] },
): Promise<void> {
  await sql.query(
    `update s3_run set batch = null, done = done + $2, failed = failed + $3,
       faults = case when jsonb_array_length(faults) < $5 then faults || $4::jsonb else faults end
     where id = $1`,
    [id, done, faults.length, JSON.stringify(faults.slice(0, MOST_FAULTS)), MOST_FAULTS],
  )
}

export async function endRun(sql: Sql, id: string, state: S3Run['state']): Promise<void> {
  await sql.query(`update s3_run set state = $2 where id = $1 and state = 'running'`, [id, state])
}

/** Deletes runs whose tasks have been pruned. */
export async function pruneRuns(sql: Sql): Promise<void> {
  await sql.query(
    `delete from s3_run where created_at < now() - interval '1 day'
      and not exists (select from resource where kind = 'task' and resource.id = s3_run.task_id)`,
  )
}
