import type { Sql } from '../../ports/engines'
import { S3Error } from '../errors'
import type { LifecycleRule } from './bucket-settings'
import type { Multipart, Upload } from './multipart'
import { removeObjects } from './objects'
import type { Bucket, ObjectHead } from './types'
import { heldBucket, isRemovable, isVersioned, lockKeys, removeVersion } from './versions'

/* Applies lifecycle rules once a day per bucket, page by page in key order. */

const DAY_MS = 24 * 60 * 60 * 1000
/** Delay before retrying a bucket after a failure. */
const AGAIN_MS = 60 * 60 * 1000
const KEYS_AT_ONCE = 500
const VERSIONS_AT_ONCE = 10_000

/** Properties by which rules select objects. */
export interface Subject {
  key: string
  size: number
  mtime: Date
  head: Pick<ObjectHead, 'tags' | 'lock'>
}

const isChosen = (rule: LifecycleRule, { key, size, head }: Omit<Subject, 'mtime'>): boolean =>
  rule.enabled &&
  key.startsWith(rule.prefix) &&
  (rule.largerThan === undefined || size > rule.largerThan) &&
  (rule.smallerThan === undefined || size < rule.smallerThan) &&
  rule.tags.every((tag) => head.tags?.some(({ key: name, value }) => name === tag.key && value === tag.value))

/** Latest time that a `Date` can represent. */
const LAST_MS = 8.64e15

/** Returns the first midnight UTC at least `days` after `begin`, or Infinity if a `Date` cannot represent it. */
function midnightAfter(begin: Date, days: number): number {
  const at = Math.ceil((begin.getTime() + days * DAY_MS) / DAY_MS) * DAY_MS
  return at > LAST_MS ? Infinity : at
}

/**
 * Returns the earliest time in milliseconds at which the live version expires, and the rule, or null if no rule
 * applies.
 */
export function expiryOf(
  rules: readonly LifecycleRule[],
  subject: Subject,
): { at: number; rule: LifecycleRule } | null {
  let first: { at: number; rule: LifecycleRule } | null = null
  for (const rule of rules) {
    const { expiration } = rule
    if (!expiration || 'markers' in expiration || !isChosen(rule, subject)) continue
    const at = 'date' in expiration ? Date.parse(expiration.date) : midnightAfter(subject.mtime, expiration.days)
    if (at < (first?.at ?? Infinity)) first = { at, rule }
  }
  return first
}

interface Noncurrent extends Subject {
  version: string | null
  marker: boolean
  /** When a newer version replaced it; null for the latest version, which here is always a delete marker. */
  since: Date | null
  /** Number of newer noncurrent versions of the key. */
  newer: number
  /** Whether this is a delete marker without older versions. */
  isOnly: boolean
}

function isOver(rules: readonly LifecycleRule[], it: Noncurrent, now: number): boolean {
  return rules.some((rule) => {
    if (it.since === null) {
      // a delete marker can expire only if it no longer hides a version
      if (!it.isOnly || !rule.expiration || !isChosen({ ...rule, tags: [] }, it) || rule.tags.length > 0) return false
      return 'markers' in rule.expiration
        ? rule.expiration.markers
        : 'days' in rule.expiration && midnightAfter(it.mtime, rule.expiration.days) <= now
    }
    const { noncurrent } = rule
    if (!noncurrent || !isChosen(rule, it) || it.newer < noncurrent.keep) return false
    return midnightAfter(it.since, noncurrent.days) <= now
  })
}

export interface LifecycleStore {
  sql: Sql
  multipart: Multipart
}

/** Expires the live versions of the keys after checking the rules again in a transaction. */
async function expire({ sql }: LifecycleStore, bucket: Bucket, keys: readonly string[], now: number): Promise<void> {
  await sql.transaction(async (tx) => {
    const held = await heldBucket(tx, bucket)
    if (isVersioned(held)) await lockKeys(tx, held, keys)
    const rows = await tx.query<Subject>(
      'select key, size, mtime, head from s3_object where bucket_id = $1 and key = any($2::text[]) for update',
      [held.id, keys],
    )
    const rules = held.settings.lifecycle ?? []
    const over = rows.filter((row) => (expiryOf(rules, row)?.at ?? Infinity) <= now).map(({ key }) => key)
    if (over.length > 0) await removeObjects(tx, held, over)
  })
}

/** Processes one page of a bucket. Returns the key after which the next page begins; null at the end. */
async function sweepPage(store: LifecycleStore, bucket: Bucket, after: string, now: number): Promise<string | null> {
  const { sql } = store
  const rules = bucket.settings.lifecycle ?? []
  const keys = await sql.query<{ key: string }>(
    `select key from (
       (select key from s3_object where bucket_id = $1 and key > $2 order by key limit $3)
       union (select distinct key from (
         select key from s3_noncurrent where bucket_id = $1 and key > $2 order by key limit $3) versions)
     ) each order by key limit $3`,
    [bucket.id, after, KEYS_AT_ONCE],
  )
  if (keys.length === 0) return null
  const range = [bucket.id, after, keys.at(-1)!.key]
  const live = await sql.query<Subject>(
    'select key, size, mtime, head from s3_object where bucket_id = $1 and key > $2 and key <= $3',
    range,
  )
  const over = live.filter((it) => (expiryOf(rules, it)?.at ?? Infinity) <= now).map(({ key }) => key)
  if (over.length > 0) await expire(store, bucket, over, now)
  const noncurrent = await noncurrentOf(sql, '>', range)
  const endingKeys = new Set(noncurrent.filter((it) => isOver(rules, it, now)).map(({ key }) => key))
  for (const key of endingKeys) await expireVersions(store, bucket, key, now)
  // if a key has too many versions, the rest are processed tomorrow
  return noncurrent.length === VERSIONS_AT_ONCE ? noncurrent.at(-1)!.key : keys.at(-1)!.key
}

/** Removes a key's expired noncurrent versions and delete marker after checking the rules again in a transaction. */
async function expireVersions({ sql }: LifecycleStore, bucket: Bucket, key: string, now: number): Promise<void> {
  await sql.transaction(async (tx) => {
    const held = await heldBucket(tx, bucket)
    await lockKeys(tx, held, [key])
    const rules = held.settings.lifecycle ?? []
    const versions = await noncurrentOf(tx, '>=', [held.id, key, key])
    for (const it of versions)
      // locked versions are checked again tomorrow
      if (isOver(rules, it, now) && isRemovable(it.head, false)) await removeVersion(tx, held, it, false)
  })
}

const noncurrentOf = (sql: Sql, from: '>' | '>=', range: unknown[]): Promise<Noncurrent[]> =>
  sql.query<Noncurrent>(
    `select n.key, n.version, n.marker, n.size, n.mtime, n.head,
       coalesce(lag(n.mtime) over newest, live.mtime) as since,
       (row_number() over newest)::int - 1 as newer,
       n.marker and live.mtime is null and lag(n.key) over newest is null and lead(n.key) over newest is null as "isOnly"
     from s3_noncurrent n
     left join s3_object live on live.bucket_id = n.bucket_id and live.key = n.key
     where n.bucket_id = $1 and n.key ${from} $2 and n.key <= $3
     window newest as (partition by n.key order by n.seq desc)
     order by n.key, n.seq desc limit $4`,
    [...range, VERSIONS_AT_ONCE],
  )

async function abortUploads({ sql, multipart }: LifecycleStore, bucket: Bucket, now: number): Promise<void> {
  const rules = (bucket.settings.lifecycle ?? []).filter((it) => it.enabled && it.abortUploadsAfterDays !== undefined)
  for (const { prefix, abortUploadsAfterDays: days } of rules) {
    const old = await sql.query<Upload>(
      `select id, key, started_at from s3_upload where bucket_id = $1 and ended_at is null and starts_with(key, $2)
         and started_at < $3`,
      [bucket.id, prefix, new Date(Math.max(0, now - days! * DAY_MS))],
    )
    for (const upload of old)
      if (midnightAfter(upload.started_at, days!) <= now)
        await multipart.abort(upload).catch((error: unknown) => {
          // the upload has been completed or aborted since it was listed
          if (!(error instanceof S3Error)) throw error
        })
  }
}

/** Processes one page of a bucket that is due. Returns whether there may be more to do. */
export async function sweepLifecycle(store: LifecycleStore, now = Date.now()): Promise<boolean> {
  const [due] = await store.sql.query<Bucket & { rules: string; after_key: string }>(
    `select b.id, b.name, b.owner, b.policy, b.settings, b.created_at, md5(b.settings->>'lifecycle') as rules,
       case when run.rules = md5(b.settings->>'lifecycle') then run.after_key else '' end as after_key
     from s3_bucket b left join s3_lifecycle_run run on run.bucket_id = b.id
     where b.settings ? 'lifecycle'
       and (run.bucket_id is null or run.next_at <= to_timestamp($1) or run.rules <> md5(b.settings->>'lifecycle'))
     order by run.next_at nulls first limit 1`,
    [now / 1000],
  )
  if (!due) return false
  const { rules, after_key: after, ...bucket } = due
  const goOn = (afterKey: string, at: number) =>
    store.sql.query(
      `insert into s3_lifecycle_run (bucket_id, rules, after_key, next_at)
       select id, $2, $3, to_timestamp($4) from s3_bucket where id = $1
       on conflict (bucket_id) do update set rules = $2, after_key = $3, next_at = to_timestamp($4)`,
      [bucket.id, rules, afterKey, at / 1000],
    )
  try {
    if (after === '') await abortUploads(store, bucket, now)
    const next = await sweepPage(store, bucket, after, now)
    await goOn(next ?? '', next === null ? midnightAfter(new Date(now), 1) : now)
  } catch (error) {
    // a failing bucket must not delay the others
    await goOn(after, now + AGAIN_MS)
    throw error
  }
  return true
}
