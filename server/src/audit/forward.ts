import { hostname } from 'node:os'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { SyslogTarget } from '../config'
import { LINE_COLUMNS, lineOf, type LineRow } from './line-rows'
import { sendSyslog, syslogMessage } from './syslog'

/** Advisory lock for forwarding; the number is arbitrary. */
const FORWARD_LOCK = 7_206_567
/** Maximum number of entries per connection, and of connections per run. */
const AT_ONCE = 500
const BATCHES = 20

export interface Forwarded {
  sent: number
  /** Entries that retention removed before they were sent. */
  lost: number
}

/**
 * Forwards newly sealed entries to syslog in seal order and stores the position. Entries that could not be sent are
 * sent in the next run, so an entry may arrive twice. Entries that retention removes before they are sent are lost;
 * they are counted and logged. Throws if the receiver does not accept the entries.
 */
export async function forwardLines(
  { sql, log }: { sql: Sql; log: Log },
  target: SyslogTarget,
  ca?: string,
): Promise<Forwarded> {
  const whole: Forwarded = { sent: 0, lost: 0 }
  for (let batch = 0; batch < BATCHES; batch++) {
    const { sent, lost } = await sql.transaction(async (inside): Promise<Forwarded> => {
      const [lock] = await inside.query<{ is_ours: boolean }>('select pg_try_advisory_xact_lock($1) as is_ours', [
        FORWARD_LOCK,
      ])
      const [at] = await inside.query<{ seq: string; lost: number }>(
        `select greatest(f.seq, a.seq)::text as seq, greatest(a.seq - f.seq, 0)::int as lost
          from audit_forwarding f, audit_anchor a`,
      )
      if (!lock?.is_ours || !at) return { sent: 0, lost: 0 }
      const rows = await inside.query<LineRow & { seq: string }>(
        `select seal.seq::text, ${LINE_COLUMNS} from audit_seal seal join audit on audit.id = seal.line_id
          where seal.seq > $1 order by seal.seq limit $2`,
        [at.seq, AT_ONCE],
      )
      if (rows.length > 0)
        await sendSyslog(
          target,
          rows.map(({ seq: _, ...row }) => syslogMessage(lineOf(row, true), hostname())),
          ca,
        )
      await inside.query('update audit_forwarding set seq = $1, lost_lines = lost_lines + $2', [
        rows.at(-1)?.seq ?? at.seq,
        at.lost,
      ])
      return { sent: rows.length, lost: at.lost }
    })
    whole.sent += sent
    whole.lost += lost
    if (sent < AT_ONCE) break
  }
  if (whole.lost > 0) log.error(whole, 'retention removed audit log entries before they were forwarded to syslog')
  return whole
}
