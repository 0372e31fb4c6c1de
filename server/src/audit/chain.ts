import { createHash } from 'node:crypto'
import type { Sql } from '@mainstay/engines/ports/engines'
import { limits } from '../limits'

/*
 * The chain over the audit log: each line that can no longer change gets a seal, the SHA-256 of the seal before and of the
 * line. Seals are made afterwards by one server at a time, so that no act waits for another (decision 0039).
 */

const sizes = limits.audit
/** Lines that are sealed in one transaction, and looked at with one statement. */
const SEAL_AT_ONCE = 1000
const VERIFY_AT_ONCE = 2000
/** Any fixed number; whoever holds it as an advisory lock makes or removes seals. */
const CHAIN_LOCK = 7_206_566

/** When a line counts as one that changes no more, seconds after its end. */
export interface Settling {
  /** One that says that it was done may still fail, as long as its call goes on. */
  successSeconds: number
  /** One of unknown outcome may still be completed. */
  unknownSeconds: number
}
export const settling: Settling = { successSeconds: 60, unknownSeconds: 24 * 3600 }
/** A line this much older than one that was sealed before it was put there afterwards. */
const LATE_SECONDS = settling.unknownSeconds + 3600

interface Head {
  seq: string
  hash: string
}

/** Nulls are left out, so that columns to come do not change the lines of before. Times are in UTC. */
const LINE_TEXT = 'jsonb_strip_nulls(to_jsonb(a))::text'
const inUtc = "set local time zone 'UTC'"

const sealOf = (before: string, line: string): string => createHash('sha256').update(`${before}\n${line}`).digest('hex')

async function headOf(sql: Sql): Promise<Head> {
  const [head] = await sql.query<Head>('select seq::text, hash from audit_seal order by audit_seal.seq desc limit 1')
  const [anchor] = head ? [head] : await sql.query<Head>('select seq::text, hash from audit_anchor')
  if (!anchor) throw new Error('the anchor of the audit log is missing')
  return anchor
}

/** Seals the lines that change no more, in the order of their ids. Answers how many; 0 where another server is at it. */
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
 * Removes lines that are older than this from the beginning of the chain on, in short transactions, and remembers the last
 * seal that goes as what the rest follows. Answers how many lines went.
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

/** What a look at the whole chain has found. */
export interface Verified {
  /** The first line that does not fit; `line_id` is null where it is not known which. */
  fault: { line_id: string | null; what: string } | null
  /** Lines whose seals fit. */
  sealed: number
  /** Lines that may still change. */
  waiting: number
  /** Lines that retention has removed. */
  removed: number
  /** The last seal that fits: who keeps it elsewhere can tell later that nothing before it was made anew. */
  head: Head
}

interface Sealed {
  seq: string
  line_id: string
  hash: string
  line: string | null
  is_late: boolean
}

/** Looks at every line and every seal, as they are at one moment. */
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
      const fault = { line_id: null, what: 'what the first seal follows is missing (audit_anchor)' }
      return { fault, sealed: 0, waiting, removed: 0, head: { seq: '0', hash: '' } }
    }
    let head: Head = { seq: anchor.seq, hash: anchor.hash }
    let sealed = 0
    const found = (fault: Verified['fault']): Verified => ({ fault, sealed, waiting, removed: anchor.removed, head })
    // the latest time among the lines sealed before: what is much older was put there afterwards
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
        if (seq !== next) return found({ line_id, what: `the seals before it are missing, from ${next} on` })
        if (line === null) return found({ line_id, what: 'it was removed' })
        if (sealOf(head.hash, line) !== hash)
          return found({ line_id, what: 'it, or its seal, is not as it was sealed' })
        if (is_late)
          return found({ line_id, what: 'it was put in afterwards: lines sealed before it are much younger' })
        head = { seq, hash }
        sealed++
      }
      latest = seals.at(-1)?.latest ?? latest
      if (seals.length < VERIFY_AT_ONCE) break
    }
    return found(await unsealedFault(inside, latest))
  })

/** Lines without a seal that should have one, or wait for one and are gone or too old. */
async function unsealedFault(sql: Sql, latest: string | null): Promise<Verified['fault']> {
  const [unknown] = await sql.query<{ id: string }>(
    `select id::text from audit a where not exists (select from audit_seal where line_id = a.id)
      and not exists (select from audit_unsealed where line_id = a.id) order by a.id limit 1`,
  )
  if (unknown)
    return { line_id: unknown.id, what: 'it is neither sealed nor waiting: its seal is gone, or it was put in' }
  const [gone] = await sql.query<{ id: string }>(
    `select line_id::text as id from audit_unsealed waiting
      where not exists (select from audit where id = waiting.line_id) order by line_id limit 1`,
  )
  if (gone) return { line_id: gone.id, what: 'it was removed before it was sealed' }
  const [late] = await sql.query<{ id: string }>(
    `select a.id::text from audit_unsealed waiting join audit a on a.id = waiting.line_id
      where a.started_at < $1::timestamptz - make_interval(secs => $2) order by a.id limit 1`,
    [latest, LATE_SECONDS],
  )
  return late
    ? { line_id: late.id, what: 'it was put in afterwards: lines that are sealed already are much younger' }
    : null
}
