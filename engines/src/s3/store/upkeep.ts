import { S3_UPLOAD_DAYS } from '@mainstay/contract/object-storage/s3-service'
import type { Sql } from '../../ports/engines'
import type { Log } from '../../ports/records'
import type { Blobs } from './blobs'
import { KEEP_READ } from './types'

const EVERY_MS = 5_000
const FILES_AT_ONCE = 64
const DELTAS_AT_ONCE = 10_000

/** Background maintenance: removes unused files and old uploads, and consolidates usage. */
export interface Upkeep {
  /** Runs one round. Returns whether there is more to do. */
  round(): Promise<boolean>
  close(): Promise<void>
}

/** Starts the background maintenance. `chores` run once per round and return whether there is more to do now. */
export function startUpkeep(sql: Sql, blobs: Blobs, log: Log, chores: readonly (() => Promise<boolean>)[]): Upkeep {
  let ended = false
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function round(): Promise<boolean> {
    const due = await sql.query<{ file: string }>(
      'select file from s3_garbage where due < now() order by due limit $1',
      [FILES_AT_ONCE],
    )
    const files = due.map(({ file }) => file)
    // writers claim a file by deleting its row here, so a file whose row can be locked is unused
    if (files.length > 0)
      await sql.transaction(async (tx) => {
        const locked = await tx.query<{ file: string }>(
          'select file from s3_garbage where file = any($1::uuid[]) and due < now() for update skip locked',
          [files],
        )
        await Promise.all(locked.map(({ file }) => blobs.remove(file)))
        for (const table of ['s3_file', 's3_garbage'])
          await tx.query(`delete from ${table} where file = any($1::uuid[])`, [locked.map(({ file }) => file)])
      })
    const [folded] = await sql.query<{ count: number }>(
      `with taken as (
         delete from s3_usage_delta where id in (
           select id from s3_usage_delta order by id limit ${DELTAS_AT_ONCE} for update skip locked
         ) returning bucket_id, bytes, objects
       ), kept as (
         insert into s3_usage (bucket_id, bytes, objects)
         select bucket_id, sum(bytes), sum(objects) from taken
         where exists (select 1 from s3_bucket where id = bucket_id) group by bucket_id
         on conflict (bucket_id) do update
           set bytes = s3_usage.bytes + excluded.bytes, objects = s3_usage.objects + excluded.objects
       )
       select count(*)::int as count from taken`,
    )
    await sql.query(
      `with old as (
         delete from s3_upload where id in (
           select id from s3_upload
           where (ended_at is null and started_at < now() - interval '${S3_UPLOAD_DAYS} days')
             or ended_at < now() - interval '1 day' limit 100 for update skip locked
         ) returning id
       ), parts as (
         delete from s3_upload_part where upload in (select id from old) returning file
       )
       insert into s3_garbage (file, due) select file, now() + ${KEEP_READ} from parts`,
    )
    let more = due.length === FILES_AT_ONCE || folded!.count === DELTAS_AT_ONCE
    for (const chore of chores) if (await chore()) more = true
    return more
  }

  function plan(inMs: number): void {
    if (ended) return
    timer = setTimeout(() => {
      running = round().then(
        (more) => plan(more ? 0 : EVERY_MS),
        (err: unknown) => {
          log.warn({ err }, 'object storage maintenance failed; retrying')
          plan(EVERY_MS)
        },
      )
    }, inMs)
    timer.unref()
  }
  plan(EVERY_MS)

  return {
    round,
    async close() {
      ended = true
      clearTimeout(timer)
      await running
    },
  }
}
