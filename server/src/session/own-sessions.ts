import type { ApiToken, ApiTokenDraft, OwnSession } from '@mainstay/contract/identity/account'
import { notFound, problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import { withRecord } from '../audit/acts'
import { aliveAt, endOf, isAlive, type SessionLimits } from './alive'
import type { NewToken, ProgramTokens } from './program-tokens'
import type { SignedIn } from './signed-in'

/** Gives users access to their own sessions and API tokens. */
export interface OwnSessions {
  sessions(signedIn: SignedIn): Promise<OwnSession[]>
  /** Ends one of the user's sessions. Throws `not_found`. */
  endSession(signedIn: SignedIn, id: string): Promise<void>
  /** Ends all the user's sessions except the one in which this call is made. API tokens are kept. */
  endOtherSessions(signedIn: SignedIn): Promise<void>
  tokens(signedIn: SignedIn): Promise<{ data: ApiToken[]; is_available: boolean }>
  /**
   * Creates an API token for the user. Throws `validation`, `duplicate_name`, `unsupported`, `conflict` if the limit is
   * reached, or `not_found` for a project that the user may not enter.
   */
  createToken(
    signedIn: SignedIn,
    draft: ApiTokenDraft,
    from: { address: string; user_agent: string },
  ): Promise<NewToken>
  /** Revokes one of the user's API tokens. Throws `not_found`. */
  revokeToken(signedIn: SignedIn, id: string): Promise<void>
}

type SessionRow = Pick<OwnSession, 'id' | 'address' | 'user_agent' | 'external_provider'> &
  Record<'created_at' | 'last_used_at', Date> & { credential_expires_at: Date | null }

/**
 * Requires a session in which the user signed in themselves, outside of projects. A token that was handed out must not
 * reveal anything about its owner.
 */
export function requireOwnSession({ project, bound_project_id, is_for_programs }: SignedIn): void {
  if (project || bound_project_id !== null || is_for_programs) throw problem('identity.sign_in_yourself')
}

/**
 * Refuses to create API tokens for users of a cloud. Their session holds a cloud token that expires within a day, and
 * the API token would expire with it.
 */
export function refuseInCloud({ scope }: Pick<SignedIn, 'scope'>): void {
  if (scope.credential !== null) throw problem('identity.sign_in_at_cloud')
}

export function createOwnSessions(options: {
  sql: Sql
  tokens: ProgramTokens
  limits: SessionLimits
  now: () => Date
  /** Reports ended sessions. */
  onEnded: (ids: string[]) => void
}): OwnSessions {
  const { sql, tokens, limits, now, onEnded } = options

  /** Ends the user's sessions for which the condition `which` holds. In it, `$3` stands for `value`. */
  async function end({ user }: SignedIn, which: string, value: string): Promise<number> {
    const ended = await withRecord(sql, async (inside, record) => {
      const found = await inside.query<{ id: string }>(
        `update session set ended_at = $2 where user_id = $1 and ended_at is null and ${which} returning id`,
        [user.id, now(), value],
      )
      if (found.length > 0) await record()
      return found
    })
    onEnded(ended.map(({ id }) => id))
    return ended.length
  }

  return {
    async sessions(signedIn) {
      requireOwnSession(signedIn)
      const rows = await sql.query<SessionRow>(
        `select s.id, s.address, s.user_agent, s.external_provider, s.created_at, s.last_used_at, s.credential_expires_at
          from session s where s.user_id = $1 and s.name is null and ${isAlive}
          order by s.last_used_at desc, s.created_at desc, s.id`,
        [signedIn.user.id, ...aliveAt(now(), limits)],
      )
      return rows.map(({ credential_expires_at, created_at, last_used_at, ...row }) => ({
        ...row,
        created_at: created_at.toISOString(),
        last_used_at: last_used_at.toISOString(),
        expires_at: endOf({ created_at, last_used_at, credential_expires_at }, limits).toISOString(),
        is_current: row.id === signedIn.session_id,
      }))
    },

    async endSession(signedIn, id) {
      requireOwnSession(signedIn)
      if ((await end(signedIn, 'name is null and id = $3', id)) === 0) throw notFound()
    },

    async endOtherSessions(signedIn) {
      requireOwnSession(signedIn)
      await end(signedIn, 'name is null and id <> $3', signedIn.session_id)
    },

    async tokens(signedIn) {
      requireOwnSession(signedIn)
      return { data: await tokens.of(signedIn.user.id), is_available: signedIn.scope.credential === null }
    },

    async createToken(signedIn, draft, from) {
      requireOwnSession(signedIn)
      refuseInCloud(signedIn)
      return tokens.make(signedIn, draft, { ...from, request_id: signedIn.scope.request_id })
    },

    async revokeToken(signedIn, id) {
      requireOwnSession(signedIn)
      await tokens.revoke(signedIn.user.id, id)
    },
  }
}
