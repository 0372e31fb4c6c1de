import type { Sql } from '@mainstay/engines/ports/engines'
import { CONSOLE_TICKET_SECONDS } from '@mainstay/contract/compute/instance-rules'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** The right to look at one screen once, soon. Kept in the database: the socket may reach another replica. */
export interface ConsoleTickets {
  issue(ticket: Ticket): Promise<{ token: string; expiresAt: Date }>
  /** What the ticket was for; null for one that is spent, too old or made up. It is spent by this. */
  redeem(token: string): Promise<Ticket | null>
}
export interface Ticket {
  session_id: string
  instance_id: string
  /** Project of the scope in which it was issued; null for a scope without one. */
  project_id: string | null
}

export function createConsoleTickets(sql: Sql, now: () => Date = () => new Date()): ConsoleTickets {
  return {
    async issue({ session_id, instance_id, project_id }) {
      const token = makeToken()
      const expiresAt = new Date(now().getTime() + CONSOLE_TICKET_SECONDS * 1000)
      await sql.query('delete from console_ticket where expires_at < $1', [now()])
      await sql.query(
        'insert into console_ticket (hash, session_id, instance_id, project_id, expires_at) values ($1, $2, $3, $4, $5)',
        [hashToken(token), session_id, instance_id, project_id, expiresAt],
      )
      return { token, expiresAt }
    },
    async redeem(token) {
      if (!looksLikeToken(token)) return null
      const [ticket] = await sql.query<Ticket>(
        `delete from console_ticket where hash = $1 and expires_at > $2
          returning session_id, instance_id, project_id`,
        [hashToken(token), now()],
      )
      return ticket ?? null
    },
  }
}
