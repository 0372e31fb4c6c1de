import type { Sql } from '../../ports/engines'
import type { Log } from '../../ports/records'
import type { Blobs } from './blobs'
import { checksum } from './digests'
import { CHECK_EVERY } from './files'

/* Verifies stored data: reads the files, compares their checksums, and recounts usage. */

const FILES_AT_ONCE = 100
const READ_AT_ONCE = 1024 * 1024
/** Read rate limit, so that user requests are not slowed down. */
const BYTES_PER_SECOND = 20 * 1024 ** 2
/** Interval between checks of damaged files. It is short, so that restored files are noticed. */
const CHECK_DAMAGED_EVERY = "interval '1 day'"
const MOST_NAMED = 20

const EVERY_MS = 60_000
const COUNT_EVERY_MS = 24 * 3600_000
const FIRST_COUNT_MS = 10 * 60_000
const COUNT_WITHIN = "'30min'"

/** All versions that have data. */
const VERSIONS = `select bucket_id, key, size, blob, parts from s3_object
  union all select bucket_id, key, size, blob, parts from s3_noncurrent where not marker`

export interface ScrubTimers {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number
  /** Returns early if `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}
export interface Scrub {
  /** Checks the files that are due. Returns the number of files newly found damaged or missing. */
  checkFiles(): Promise<number>
  /** Recounts the contents of all buckets and corrects the recorded usage. */
  countUsage(): Promise<void>
  close(): Promise<void>
}

const realTimers: ScrubTimers = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(resolve, ms).unref()
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    }),
}

interface FileRow {
  file: string
  /** CRC32 of the file in base64; null if not yet known. */
  sum: string | null
  damage: 'missing' | 'changed' | null
}

/** Starts the background checks: due files every minute, and usage once a day. */
export function startScrub(sql: Sql, blobs: Blobs, log: Log, timers: ScrubTimers = realTimers): Scrub {
  const ending = new AbortController()
  const { signal } = ending

  /** Computes the checksum of a file; null if it cannot be read or the scrub is stopped. */
  async function sumOf(file: string): Promise<{ sum: string | null; damage: FileRow['damage'] }> {
    const digest = await checksum('crc32')
    try {
      const handle = await blobs.open(file)
      try {
        const bytes = Buffer.allocUnsafe(READ_AT_ONCE)
        for (;;) {
          const { bytesRead } = await handle.read(bytes, 0, READ_AT_ONCE)
          if (bytesRead === 0) return { sum: digest.end(), damage: null }
          digest.update(bytes.subarray(0, bytesRead))
          await timers.wait((bytesRead / BYTES_PER_SECOND) * 1000, signal)
          if (signal.aborted) return { sum: null, damage: null }
        }
      } finally {
        await handle.close()
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return { sum: null, damage: 'missing' }
      if (code === 'EIO') return { sum: null, damage: 'changed' }
      throw error
    }
  }

  async function checkFile({ file, sum: kept, damage: before }: FileRow): Promise<boolean> {
    const { sum, damage: found } = await sumOf(file)
    if (signal.aborted) return false
    const damage = found ?? (kept !== null && sum !== kept ? 'changed' : null)
    // skip a file that is no longer in use, because it may already have been removed
    const noted = await sql.query(
      `update s3_file set damage = $2::text, sum = coalesce(sum, $3),
         check_at = now() + case when $2::text is null then ${CHECK_EVERY} else ${CHECK_DAMAGED_EVERY} end
       where file = $1 and not exists (select 1 from s3_garbage where file = $1) returning file`,
      [file, damage, sum],
    )
    if (noted.length === 0 || damage === before) return false
    if (damage === null) log.info({ file }, 'a damaged file of object storage is intact again')
    else log.error({ file, damage }, 'a file of object storage is damaged or missing')
    return damage !== null
  }

  async function checkFiles(): Promise<number> {
    let found = 0
    for (;;) {
      const due = await sql.query<FileRow>(
        `select file, sum, damage from s3_file f
         where check_at < now() and not exists (select 1 from s3_garbage g where g.file = f.file)
         order by check_at limit ${FILES_AT_ONCE}`,
      )
      for (const row of due) {
        if (await checkFile(row)) found += 1
        if (signal.aborted) return found
      }
      if (due.length < FILES_AT_ONCE) break
    }
    if (found > 0) log.error({ objects: await damagedObjects(), files: found }, 'objects are damaged; restore them')
    return found
  }

  /** Returns the first few damaged objects as `bucket/key`. */
  async function damagedObjects(): Promise<string[]> {
    const rows = await sql.query<{ name: string }>(
      `with damaged as (select file from s3_file where damage is not null)
       select distinct b.name || '/' || o.key as name from (${VERSIONS}) o join s3_bucket b on b.id = o.bucket_id
       where o.blob in (select file from damaged)
         or (o.parts > 0 and o.blob in (select p.blob from s3_part p where p.file in (select file from damaged)))
       order by 1 limit ${MOST_NAMED}`,
    )
    return rows.map(({ name }) => name)
  }

  async function countUsage(): Promise<void> {
    for (const { id, name } of await sql.query<{ id: number; name: string }>('select id, name from s3_bucket')) {
      if (signal.aborted) return
      const drift = await sql.transaction(async (tx) => {
        await tx.query(`set local statement_timeout = ${COUNT_WITHIN}`)
        await noteUnknownFiles(tx, id)
        return correctUsage(tx, id)
      })
      if (drift.bytes !== 0 || drift.objects !== 0)
        log.warn({ bucket: name, ...drift }, 'corrected the recorded usage of a bucket')
    }
  }

  let counted = timers.now() - COUNT_EVERY_MS + FIRST_COUNT_MS
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await timers.wait(EVERY_MS, signal)
      if (signal.aborted) return
      try {
        await checkFiles()
        if (timers.now() - counted < COUNT_EVERY_MS) continue
        counted = timers.now()
        await countUsage()
      } catch (err) {
        log.warn({ err }, 'failed to check the files of object storage; retrying')
      }
    }
  }
  const running = run()

  return {
    checkFiles,
    countUsage,
    async close() {
      ending.abort()
      await running
    },
  }
}

/** Schedules checks for files without a record, which were written by a version that did not store checksums. */
async function noteUnknownFiles(sql: Sql, bucketId: number): Promise<void> {
  await sql.query(
    `insert into s3_file (file, check_at)
     select file, now() from (
       select blob from (${VERSIONS}) each where bucket_id = $1 and blob is not null and parts = 0
       union all select p.file from (${VERSIONS}) o join s3_part p on p.blob = o.blob where o.bucket_id = $1 and o.parts > 0
       union all select p.file from s3_upload u join s3_upload_part p on p.upload = u.id where u.bucket_id = $1
     ) of_bucket(file)
     where not exists (select 1 from s3_file f where f.file = of_bucket.file) on conflict (file) do nothing`,
    [bucketId],
  )
}

/** Uses a single statement, so that rows and recorded usage come from the same snapshot despite concurrent writes. */
async function correctUsage(sql: Sql, bucketId: number): Promise<{ bytes: number; objects: number }> {
  const [drift] = await sql.query<{ bytes: number; objects: number }>(
    `with real as (
       select coalesce(sum(size), 0)::bigint as bytes, count(*) as objects
       from (${VERSIONS}) each where bucket_id = $1
     ), told as (
       select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(objects), 0)::bigint as objects from (
         select bytes, objects from s3_usage where bucket_id = $1
         union all select bytes, objects from s3_usage_delta where bucket_id = $1
       ) each
     ), drift as (
       select real.bytes - told.bytes as bytes, real.objects - told.objects as objects from real, told
     ), corrected as (
       insert into s3_usage_delta (bucket_id, bytes, objects)
       select $1, bytes, objects from drift where bytes <> 0 or objects <> 0
     )
     select bytes, objects from drift`,
    [bucketId],
  )
  return drift!
}
