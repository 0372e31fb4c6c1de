import { PASSKEY_CHALLENGE_MINUTES } from '@mainstay/contract/identity/passkeys'
import { problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import { limits } from '../../limits'
import { addSeconds } from '../alive'
import { hashToken, makeToken } from '../tokens'
import type { RelyingParty } from './relying-party'

/**
 * Challenges for passkeys: 256 random bits, stored as a hash and valid once, for a few minutes, for one host and
 * origin. The response may reach another server.
 */
export interface PasskeyChallenges {
  /** Creates a challenge for a user who is adding a passkey. */
  makeFor(userId: string, party: RelyingParty): Promise<string>
  /** Creates a challenge for a sign-in. Throws `too_many_requests` if too many are pending for the network. */
  makeForSignIn(network: string, party: RelyingParty): Promise<string>
  /** Uses up a challenge. Returns null if it is used, expired, unknown or was made for another purpose. */
  spend(challenge: string, userId: string | null): Promise<RelyingParty | null>
}

export function createPasskeyChallenges(sql: Sql, now: () => Date): PasskeyChallenges {
  async function make({ host, origin }: RelyingParty, whose: { userId?: string; network?: string }): Promise<string> {
    const challenge = makeToken()
    await sql.query('delete from passkey_challenge where expires_at < $1', [now()])
    const ends = addSeconds(now(), PASSKEY_CHALLENGE_MINUTES * 60)
    const made = await sql.query(
      `insert into passkey_challenge (hash, user_id, network, host, origin, expires_at)
        select $1, $2, $3, $4, $5, $6
          where $3::text is null or (select count(*) from passkey_challenge where network = $3) < $7
        returning 1`,
      [
        ...[hashToken(challenge), whose.userId ?? null, whose.network ?? null, host, origin, ends],
        limits.passkeyChallenges.waiting,
      ],
    )
    if (made.length > 0) return challenge
    const data = { retry_after: PASSKEY_CHALLENGE_MINUTES * 60 }
    throw problem('identity.too_many_passkey_sign_ins', {}, { data })
  }

  return {
    makeFor: (userId, party) => make(party, { userId }),
    makeForSignIn: (network, party) => make(party, { network }),

    async spend(challenge, userId) {
      const [row] = await sql.query<RelyingParty>(
        `delete from passkey_challenge where hash = $1 and user_id is not distinct from $2 and expires_at > $3
        returning host, origin`,
        [hashToken(challenge), userId, now()],
      )
      return row ?? null
    },
  }
}
