import { randomUUID } from 'node:crypto'
import { MOST_API_TOKENS, TOKEN_DAYS, type ApiToken, type ApiTokenDraft } from '@mainstay/contract/identity/account'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { IdentityPort, SessionRestriction, UserRecord } from '@mainstay/engines/ports/identity'
import { withRecord } from '../audit/acts'
import { addSeconds, aliveAt, isAlive, type SessionLimits } from './alive'
import { noCredential } from './credentials'
import { restrictUser, signedInAs } from './signed-in'
import { hashToken, makeToken } from './tokens'

/*
 * An API token is a session with a name and its own expiry (docs/decisions/0035-tokens-are-sessions.md). Everything
 * that ends sessions also ends API tokens, and calls resolve them like any other session.
 */

/** The owner of a token, and how they signed in. */
export interface TokenOwner {
  user: UserRecord
  external_provider: string | null
}
/** The request, address and program with which the token is created. */
export interface TokenMaker {
  request_id: string
  address: string
  user_agent: string
}
export type NewToken = ApiToken & { token: string }

/** API tokens of any user. The caller must check permissions. */
export interface ProgramTokens {
  of(userId: string): Promise<ApiToken[]>
  /**
   * Creates a token for the owner. Throws `validation`, `duplicate_name`, `conflict` if the limit is reached, or
   * `not_found` for a project that the owner may not enter.
   */
  make(owner: TokenOwner, draft: ApiTokenDraft, by: TokenMaker): Promise<NewToken>
  /**
   * Creates a token with the same name and rights, and revokes the old one immediately. Throws `not_found` or
   * `validation`.
   */
  replace(owner: TokenOwner, id: string, expiresAt: string, by: TokenMaker): Promise<NewToken>
  /** Revokes a token of a user. Throws `not_found`. */
  revoke(userId: string, id: string): Promise<void>
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

export function createProgramTokens(options: {
  sql: Sql
  identity: IdentityPort
  limits: SessionLimits
  now: () => Date
  /** Reports ended sessions. */
  onEnded: (ids: string[]) => void
}): ProgramTokens {
  const { sql, identity, limits, now, onEnded } = options

  const living = (inside: Sql, userId: string): Promise<TokenRow[]> =>
    inside.query<TokenRow>(
      `select s.id, s.name, s.bound, s.read_only, s.created_at, s.expires_at, s.last_used_at from session s
        where s.user_id = $1 and s.name is not null and ${isAlive} order by s.created_at desc, s.id`,
      [userId, ...aliveAt(now(), limits)],
    )

  const endIn = (inside: Sql, userId: string, id: string): Promise<{ id: string }[]> =>
    inside.query(
      `update session set ended_at = $3 where user_id = $1 and id = $2 and name is not null and ended_at is null
        returning id`,
      [userId, id, now()],
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

  /** Restricts a token to the owner's current rights in the project. Null if it has all the owner's rights. */
  async function restriction(
    { user, external_provider }: TokenOwner,
    project_id: string | null,
    requestId: string,
  ): Promise<SessionRestriction | null> {
    if (project_id === null) return null
    const { roles, assigned_projects } = user
    const bound = {
      project_id,
      roles,
      assigned_projects: assigned_projects.filter((it) => it.project_id === project_id),
    }
    const holder = {
      ...{ session_id: '', external_provider, bound_project_id: null, is_for_programs: false, read_only: false },
      ...{
        signs_out: false,
        user: restrictUser(bound, user),
        held: noCredential,
        panel: 'admin' as const,
        withheld: null,
      },
    }
    await signedInAs(identity, holder, project_id, requestId, notFound)
    return bound
  }

  function endOf(expires_at: string): Date {
    const [at, end] = [now(), new Date(expires_at)]
    if (end <= at) throw fieldProblem('expires_at', 'identity.token_time_past')
    if (end > addSeconds(at, TOKEN_DAYS * 24 * 3600))
      throw fieldProblem('expires_at', 'identity.token_time_far', { days: TOKEN_DAYS })
    return end
  }

  /** Serializes changes per owner, so that two tokens created at the same time cannot have the same name. */
  const inTurn = (inside: Sql, userId: string) =>
    inside.query(`select pg_advisory_xact_lock(hashtext('tokens for programs'), hashtext($1))`, [userId])

  async function insert(inside: Sql, owner: TokenOwner, row: TokenRow, by: TokenMaker): Promise<NewToken> {
    const token = makeToken()
    const { id, name, bound, read_only, created_at, expires_at } = row
    await inside.query(
      `insert into session (id, user_id, address, user_agent, created_at, last_used_at, external_provider, bound,
          name, expires_at, read_only)
        values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10)`,
      [
        ...[id, owner.user.id, by.address, by.user_agent.slice(0, 255), created_at, owner.external_provider],
        ...[bound && JSON.stringify(bound), name, expires_at, read_only],
      ],
    )
    await inside.query('insert into token (hash, session_id, project_id, created_at) values ($1, $2, $3, $4)', [
      ...[hashToken(token), id, bound?.project_id ?? null, created_at],
    ])
    return { ...(await shown(row)), token }
  }

  const newRow = (draft: Pick<TokenRow, 'name' | 'bound' | 'read_only' | 'expires_at'>): TokenRow => {
    const at = now()
    return { id: randomUUID(), ...draft, created_at: at, last_used_at: at }
  }

  return {
    of: async (userId) => Promise.all((await living(sql, userId)).map(shown)),

    async make(owner, { name, project_id, read_only, expires_at: until }, by) {
      const expires_at = endOf(until)
      const bound = await restriction(owner, project_id, by.request_id)
      return withRecord(sql, async (inside, record) => {
        await inTurn(inside, owner.user.id)
        const others = await living(inside, owner.user.id)
        if (others.some((it) => it.name.toLowerCase() === name.toLowerCase()))
          throw fieldProblem('name', 'identity.token_name_taken')
        if (others.length >= MOST_API_TOKENS) throw problem('identity.too_many_tokens', { most: MOST_API_TOKENS })
        await record()
        return insert(inside, owner, newRow({ name, bound, read_only, expires_at }), by)
      })
    },

    async replace(owner, id, until, by) {
      const expires_at = endOf(until)
      const made = await withRecord(sql, async (inside, record) => {
        await inTurn(inside, owner.user.id)
        const former = (await living(inside, owner.user.id)).find((it) => it.id === id)
        if (!former) throw notFound()
        const { name, bound, read_only } = former
        await record()
        await endIn(inside, owner.user.id, id)
        return insert(inside, owner, newRow({ name, bound, read_only, expires_at }), by)
      })
      onEnded([id])
      return made
    },

    async revoke(userId, id) {
      const ended = await withRecord(sql, async (inside, record) => {
        const found = await endIn(inside, userId, id)
        if (found.length > 0) await record()
        return found
      })
      if (ended.length === 0) throw notFound()
      onEnded(ended.map((it) => it.id))
    },
  }
}
