import { createHash } from 'node:crypto'
import type { Sql } from '@mainstay/engines/ports/engines'
import { limits } from '../limits'

/*
 * Hash chain of the audit log: each entry that can no longer change gets a seal, which is the SHA-256 of the previous
 * seal and the entry. Seals are added later, by one server at a time, so that actions do not wait for each other
 * (decision 0039).
 */

const sizes = limits.audit
/** Number of entries sealed per transaction and verified per statement. */
const SEAL_AT_ONCE = 1000
const VERIFY_AT_ONCE = 2000
/** Advisory lock for adding and removing seals; the number is arbitrary. */
const CHAIN_LOCK = 7_206_566

/** How long after the end of a call its entry counts as final, in seconds. */
export interface Settling {
  /** Time for a recorded success, which can still become a failure while its call is running. */
  successSeconds: number
  /** Time for an unknown outcome, because the entry can still be completed. */
  unknownSeconds: number
}
export const settling: Settling = { successSeconds: 60, unknownSeconds: 24 * 3600 }
/** An entry that is older than a previously sealed one by at least this much must have been inserted afterwards. */
const LATE_SECONDS = settling.unknownSeconds + 3600

interface Head {
  seq: string
  hash: string
}

/** Nulls are omitted, so that a new column does not change the text of old entries. Times are in UTC. */
const LINE_TEXT = 'jsonb_strip_nulls(to_jsonb(a))::text'
const inUtc = "set local time zone 'UTC'"

const sealOf = (before: string, line: string): string => createHash('sha256').update(`${before}\n${line}`).digest('hex')

async function headOf(sql: Sql): Promise<Head> {
  const [head] = await sql.query<Head>('select seq::text, hash from audit_seal order by audit_seal.seq desc limit 1')
  const [anchor] = head ? [head] : await sql.query<Head>('select seq::text, hash from audit_anchor')
  if (!anchor) throw new Error('the anchor of the audit log is missing')
  return anchor
}

/** Seals final entries in ID order. Returns the number of sealed entries; 0 if another server is already sealing. */
export async function sealLines(sql: Sql, { successSeconds, unknownSeconds }: Settling = settling): Promise<number> {
  for (let sealed = 0; ;) {
    const count = await sql.transaction(async (inside) => {
      const [lock] = await inside.query<{ is_ours: boolean }>('select pg_try_advisory_xact_lock($1) as is_ours', [
        CHAIN_LOCK,
      ])
      if (!lock?.is_ours) return 0
      await inside.query(inUtc)
      const lines = await inside.query<{ id: string; line: string }>(
        `select a.id::text, ${LINE_TEXT} as line from audit_unsealed waiting join audit a on a.id = waiting.line_id
          where a.result = 'error'
            or a.finished_at < clock_timestamp() - make_interval(secs => case a.result when 'success' then $1::float8 else $2::float8 end)
          order by a.id limit $3 for update of a`,
        [successSeconds, unknownSeconds, SEAL_AT_ONCE],
      )
      if (lines.length === 0) return 0
      const head = await headOf(inside)
      let hash = head.hash
      const hashes = lines.map(({ line }) => (hash = sealOf(hash, line)))
      const ids = lines.map(({ id }) => id)
      await inside.query(
        `insert into audit_seal (seq, line_id, hash)
          select $1::bigint + at, id, hash from unnest($2::bigint[], $3::text[]) with ordinality as sealed (id, hash, at)`,
        [head.seq, ids, hashes],
      )
      await inside.query('delete from audit_unsealed where line_id = any($1::bigint[])', [ids])
      return lines.length
    })
    sealed += count
    if (count < SEAL_AT_ONCE) return sealed
  }
}

/**
 * Removes entries older than `olderThanDays` from the start of the chain, in short transactions, and stores the last
 * removed seal as the new anchor. Returns the number of removed entries.
 */
export async function pruneLines(sql: Sql, olderThanDays: number): Promise<number> {
  const before = new Date(Date.now() - olderThanDays * 24 * 3600 * 1000)
  await sealLines(sql)
  for (let removed = 0; ;) {
    const count = await sql.transaction(async (inside) => {
      await inside.query('select pg_advisory_xact_lock($1)', [CHAIN_LOCK])
      const seals = await inside.query<{ seq: string; line_id: string; hash: string; is_old: boolean }>(
        `select seal.seq::text, seal.line_id::text, seal.hash, coalesce(a.started_at, seal.sealed_at) < $1 as is_old
          from audit_seal seal left join audit a on a.id = seal.line_id order by seal.seq limit $2`,
        [before, sizes.pruneAtOnce],
      )
      const young = seals.findIndex(({ is_old }) => !is_old)
      const old = young < 0 ? seals : seals.slice(0, young)
      const last = old.at(-1)
      if (!last) return 0
      await inside.query("set local mainstay.audit_retention = 'on'")
      await inside.query('delete from audit where id = any($1::bigint[])', [old.map(({ line_id }) => line_id)])
      await inside.query('delete from audit_seal where seq <= $1', [last.seq])
      await inside.query(
        'update audit_anchor set seq = $1, hash = $2, removed_lines = removed_lines + $3, removed_at = clock_timestamp()',
        [last.seq, last.hash, old.length],
      )
      return old.length
    })
    removed += count
    if (count < sizes.pruneAtOnce) return removed
  }
}

/** Result of verifying the whole chain. */
export interface Verified {
  /** The first entry that does not match; `line_id` is null if it is unknown. */
  fault: { line_id: string | null; what: string } | null
  /** Entries with a valid seal. */
  sealed: number
  /** Entries that may still change. */
  waiting: number
  /** Entries removed by retention. */
  removed: number
  /** The last valid seal. An operator who stores it elsewhere can later prove that no earlier entry was rewritten. */
  head: Head
}

interface Sealed {
  seq: string
  line_id: string
  hash: string
  line: string | null
  is_late: boolean
}

/** Verifies all entries and seals in one snapshot. */
export const verifyLines = (sql: Sql): Promise<Verified> =>
  sql.transaction(async (inside) => {
    await inside.query('set transaction isolation level repeatable read, read only')
    await inside.query('set local statement_timeout = 0')
    await inside.query(inUtc)
    const [anchor] = await inside.query<Head & { removed: number }>(
      'select seq::text, hash, removed_lines::int as removed from audit_anchor',
    )
    const [{ waiting }] = (await inside.query<{ waiting: number }>(
      'select count(*)::int as waiting from audit_unsealed',
    )) as [{ waiting: number }]
    if (!anchor) {
      const fault = { line_id: null, what: 'the anchor of the first seal is missing (audit_anchor)' }
      return { fault, sealed: 0, waiting, removed: 0, head: { seq: '0', hash: '' } }
    }
    let head: Head = { seq: anchor.seq, hash: anchor.hash }
    let sealed = 0
    const found = (fault: Verified['fault']): Verified => ({ fault, sealed, waiting, removed: anchor.removed, head })
    // latest start time of the entries verified so far; a much older entry must have been inserted afterwards
    let latest: string | null = null
    for (;;) {
      const seals: (Sealed & { latest: string | null })[] = await inside.query(
        `select seal.seq::text, seal.line_id::text, seal.hash, ${LINE_TEXT} as line,
            a.started_at < greatest($3::timestamptz, max(a.started_at) over before) - make_interval(secs => $4) as is_late,
            greatest($3::timestamptz, max(a.started_at) over before)::text as latest
          from audit_seal seal left join audit a on a.id = seal.line_id where seal.seq > $1
          window before as (order by seal.seq) order by seal.seq limit $2`,
        [head.seq, VERIFY_AT_ONCE, latest, LATE_SECONDS],
      )
      for (const { seq, line_id, hash, line, is_late } of seals) {
        const next = String(BigInt(head.seq) + 1n)
        if (seq !== next) return found({ line_id, what: `the seals before it are missing, starting at ${next}` })
        if (line === null) return found({ line_id, what: 'the entry was removed' })
        if (sealOf(head.hash, line) !== hash) return found({ line_id, what: 'the entry or its seal was changed' })
        if (is_late)
          return found({ line_id, what: 'the entry was inserted later: entries sealed before it are much newer' })
        head = { seq, hash }
        sealed++
      }
      latest = seals.at(-1)?.latest ?? latest
      if (seals.length < VERIFY_AT_ONCE) break
    }
    return found(await unsealedFault(inside, latest))
  })

/** Finds an entry without a seal that is not waiting for one, or an unsealed entry that was removed or is too old. */
async function unsealedFault(sql: Sql, latest: string | null): Promise<Verified['fault']> {
  const [unknown] = await sql.query<{ id: string }>(
    `select id::text from audit a where not exists (select from audit_seal where line_id = a.id)
      and not exists (select from audit_unsealed where line_id = a.id) order by a.id limit 1`,
  )
  if (unknown)
    return { line_id: unknown.id, what: 'the entry has no seal: the seal was removed, or the entry was inserted later' }
  const [gone] = await sql.query<{ id: string }>(
    `select line_id::text as id from audit_unsealed waiting
      where not exists (select from audit where id = waiting.line_id) order by line_id limit 1`,
  )
  if (gone) return { line_id: gone.id, what: 'the entry was removed before it was sealed' }
  const [late] = await sql.query<{ id: string }>(
    `select a.id::text from audit_unsealed waiting join audit a on a.id = waiting.line_id
      where a.started_at < $1::timestamptz - make_interval(secs => $2) order by a.id limit 1`,
    [latest, LATE_SECONDS],
  )
  return late
    ? { line_id: late.id, what: 'the entry was inserted later: entries that are already sealed are much newer' }
    : null
}
