import type { Sql } from '@mainstay/engines/ports/engines'
import { Secret } from '@mainstay/engines/ports/secret'
import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { CONSOLE_TICKET_SECONDS } from '@mainstay/contract/compute/instance-rules'
import type { Panel } from '@mainstay/contract/panels'
import { withRecord } from '../audit/acts'
import { openKey, sealKey } from './credentials'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/**
 * Single-use, short-lived tickets for consoles. Kept in the database, because the socket may connect to another
 * replica.
 */
export interface ConsoleTickets {
  issue(ticket: Ticket): Promise<{ token: string; expiresAt: Date }>
  /** Uses up a ticket and returns it. Returns null if it is used, expired or unknown. */
  redeem(token: string): Promise<Ticket | null>
}
export interface Ticket {
  session_id: string
  instance_id: string
  protocol: ConsoleProtocol
  /** Project of the scope in which the ticket was issued; null if it had none. */
  project_id: string | null
  /** Opens the session's credential, so that the engine opens the console on behalf of the caller. */
  credential_key: Secret | null
  /** The panel that requested the ticket. */
  panel: Panel
}

export function createConsoleTickets(sql: Sql, now: () => Date = () => new Date()): ConsoleTickets {
  return {
    async issue({ session_id, instance_id, protocol, project_id, credential_key, panel }) {
      const token = makeToken()
      const expiresAt = new Date(now().getTime() + CONSOLE_TICKET_SECONDS * 1000)
      await sql.query('delete from console_ticket where expires_at < $1', [now()])
      await withRecord(sql, async (inside, record) => {
        await record()
        await inside.query(
          `insert into console_ticket (hash, session_id, instance_id, protocol, project_id, expires_at, credential_key, panel)
            values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            hashToken(token),
            session_id,
            instance_id,
            protocol,
            project_id,
            expiresAt,
            sealKey(credential_key, new Secret(token), session_id),
            panel,
          ],
        )
      })
      return { token, expiresAt }
    },
    async redeem(token) {
      if (!looksLikeToken(token)) return null
      const [ticket] = await sql.query<Omit<Ticket, 'credential_key'> & { credential_key: Buffer | null }>(
        `delete from console_ticket where hash = $1 and expires_at > $2
          returning session_id, instance_id, protocol, project_id, credential_key, panel`,
        [hashToken(token), now()],
      )
      if (!ticket) return null
      const { credential_key: sealed, ...rest } = ticket
      return { ...rest, credential_key: sealed && openKey(sealed, new Secret(token), rest.session_id) }
    },
  }
}
