import { randomUUID } from 'node:crypto'
import {
  MOST_API_TOKENS,
  TOKEN_DAYS,
  type ApiToken,
  type ApiTokenDraft,
  type OwnSession,
} from '@mainstay/contract/identity/account'
import { badField, notFound, Problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { IdentityPort, SessionRestriction } from '@mainstay/engines/ports/identity'
import { withRecord } from '../audit/acts'
import { addSeconds, aliveAt, endOf, isAlive, type SessionLimits } from './alive'
import { noCredential } from './credentials'
import { restrictUser, signedInAs, type SignedIn } from './signed-in'
import { hashToken, makeToken } from './tokens'

/*
 * A token for programs is a session with a name and an end of its own (docs/decisions/0035-tokens-are-sessions.md): whatever
 * ends sessions ends it, and whatever asks who calls knows it.
 */

/** What people do with their own sessions, and with their tokens for programs. */
export interface OwnSessions {
  sessions(signedIn: SignedIn): Promise<OwnSession[]>
  /** Ends one of one's own. Throws `not_found`. */
  endSession(signedIn: SignedIn, id: string): Promise<void>
  /** Ends all but the one of this call, and no token for programs. */
  endOtherSessions(signedIn: SignedIn): Promise<void>
  tokens(signedIn: SignedIn): Promise<{ data: ApiToken[]; is_available: boolean }>
  /** Throws `validation`, `duplicate_name`, `not_found` for a project that one may not enter, `conflict` at the most, `unsupported`. */
  createToken(
    signedIn: SignedIn,
    draft: ApiTokenDraft,
    from: { address: string; user_agent: string },
  ): Promise<ApiToken & { token: string }>
  /** Throws `not_found`. */
  revokeToken(signedIn: SignedIn, id: string): Promise<void>
}

interface TokenRow {
  id: string
  name: string
  bound: SessionRestriction | null
  read_only: boolean
  created_at: Date
  expires_at: Date
  last_used_at: Date
}
type SessionRow = Pick<OwnSession, 'id' | 'address' | 'user_agent' | 'external_provider'> &
  Record<'created_at' | 'last_used_at', Date> & { credential_expires_at: Date | null }

/** Who has signed in themselves, and acts in no project: a token that was given away says nothing about its owner. */
export function refuseDeputy({ project, bound_project_id, is_for_programs }: SignedIn): void {
  if (project || bound_project_id !== null || is_for_programs)
    throw new Problem('forbidden', 'Sign in yourself, and outside of any project, to see or change this')
}

export function createOwnSessions(options: {
  sql: Sql
  identity: IdentityPort
  limits: SessionLimits
  now: () => Date
  /** Tells that sessions have ended. */
  onEnded: (ids: string[]) => void
}): OwnSessions {
  const { sql, identity, limits, now, onEnded } = options

  /** Ends those of the user for which `which` holds; `$3` is `value`. */
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

  const living = (inside: Sql, userId: string): Promise<TokenRow[]> =>
    inside.query<TokenRow>(
      `select s.id, s.name, s.bound, s.read_only, s.created_at, s.expires_at, s.last_used_at from session s
        where s.user_id = $1 and s.name is not null and ${isAlive} order by s.created_at desc, s.id`,
      [userId, ...aliveAt(now(), limits)],
    )

  async function shown({ bound, created_at, expires_at, last_used_at, ...row }: TokenRow): Promise<ApiToken> {
    const project_id = bound?.project_id ?? null
    const project = project_id === null ? null : await identity.project(project_id)
    return {
      ...row,
      project_id,
      project_name: project?.name ?? null,
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
      last_used_at: last_used_at > created_at ? last_used_at.toISOString() : null,
    }
  }

  /** The rights of the user in the one project, as they are now; null for all that the user may. */
  async function restriction(signedIn: SignedIn, project_id: string | null): Promise<SessionRestriction | null> {
    if (project_id === null) return null
    const { roles, assigned_projects } = signedIn.user
    const bound = {
      project_id,
      roles,
      assigned_projects: assigned_projects.filter((it) => it.project_id === project_id),
    }
    const holder = { ...signedIn, user: restrictUser(bound, signedIn.user), held: noCredential }
    await signedInAs(identity, holder, project_id, signedIn.scope.request_id, notFound)
    return bound
  }

  return {
    async sessions(signedIn) {
      refuseDeputy(signedIn)
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
      refuseDeputy(signedIn)
      if ((await end(signedIn, 'name is null and id = $3', id)) === 0) throw notFound()
    },

    async endOtherSessions(signedIn) {
      refuseDeputy(signedIn)
      await end(signedIn, 'name is null and id <> $3', signedIn.session_id)
    },

    async tokens(signedIn) {
      refuseDeputy(signedIn)
      const data = await Promise.all((await living(sql, signedIn.user.id)).map(shown))
      return { data, is_available: signedIn.scope.credential === null }
    },

    async createToken(signedIn, { name, project_id, read_only, expires_at }, { address, user_agent }) {
      refuseDeputy(signedIn)
      if (signedIn.scope.credential !== null)
        throw new Problem('unsupported', 'A cloud signs people in here: use an application credential of the cloud')
      const [at, end] = [now(), new Date(expires_at)]
      if (end <= at) throw badField('expires_at', 'Choose a time that is to come')
      if (end > addSeconds(at, TOKEN_DAYS * 24 * 3600))
        throw badField('expires_at', `Choose a time within ${String(TOKEN_DAYS)} days`)
      const bound = await restriction(signedIn, project_id)
      const [id, token, userId] = [randomUUID(), makeToken(), signedIn.user.id]
      const row = { id, name, bound, read_only, created_at: at, expires_at: end, last_used_at: at }
      await withRecord(sql, async (inside, record) => {
        // one after the other, so that two at once do not take one name
        await inside.query(`select pg_advisory_xact_lock(hashtext('tokens for programs'), hashtext($1))`, [userId])
        const others = await living(inside, userId)
        if (others.some((it) => it.name.toLowerCase() === name.toLowerCase()))
          throw badField('name', 'You have a token of this name', 'duplicate_name')
        if (others.length >= MOST_API_TOKENS)
          throw new Problem('conflict', `You have ${String(MOST_API_TOKENS)} tokens; take one back first`)
        await record()
        await inside.query(
          `insert into session (id, user_id, address, user_agent, created_at, last_used_at, external_provider, bound,
              name, expires_at, read_only)
            values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10)`,
          [
            ...[id, userId, address, user_agent.slice(0, 255), at, signedIn.external_provider],
            ...[bound && JSON.stringify(bound), name, end, read_only],
          ],
        )
        await inside.query('insert into token (hash, session_id, project_id, created_at) values ($1, $2, $3, $4)', [
          hashToken(token),
          id,
          project_id,
          at,
        ])
      })
      return { ...(await shown(row)), token }
    },

    async revokeToken(signedIn, id) {
      refuseDeputy(signedIn)
      if ((await end(signedIn, 'name is not null and id = $3', id)) === 0) throw notFound()
    },
  }
}
