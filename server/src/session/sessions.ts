import type { Sql } from '@mainstay/engines/ports/engines'
import { randomUUID } from 'node:crypto'
import { badField, notFound, Problem } from '@mainstay/contract/core/problems'
import type { ChangePassword, CurrentUser, Login } from '@mainstay/contract/identity/session'
import type { Grants } from '@mainstay/contract/permissions'
import type { DomainRecord, IdentityPort, ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'
import type { Scope } from '@mainstay/engines/ports/scope'
import { createAttempts } from './attempts'
import { grantsFor, isServiceAccount, standingInProject, standingWithoutProject } from './scopes'
import { hashToken, looksLikeToken, makeToken } from './tokens'

/** How long a session lives, seconds. */
export interface SessionLimits {
  /** From sign-in, whatever happens. */
  absoluteSeconds: number
  /** Without a call. */
  idleSeconds: number
}
export const sessionLimits: SessionLimits = { absoluteSeconds: 12 * 3600, idleSeconds: 8 * 3600 }

/** Who calls, and what they may do where. */
export interface SignedIn {
  session_id: string
  user: UserRecord
  domain: DomainRecord
  /** The project acted in; null without one, also in a system scope. */
  project: ProjectRecord | null
  /** Name of the identity provider of this sign-in; null for a password. */
  external_provider: string | null
  scope: Scope
  grants: Grants
}

/** Where a call comes from. `browser`: it says so by Origin or Sec-Fetch-Site. */
export interface Origin {
  address: string
  user_agent: string
  browser: boolean
  request_id: string
}

export interface Sessions {
  /** Answers the user and an unscoped token. Throws `wrong_credentials`, `access_disabled`, `too_many_attempts`, `forbidden`. */
  signIn(login: Login, from: Origin): Promise<{ signedIn: SignedIn; token: string }>
  /**
   * Who holds a token. `projectId` puts an unscoped token into a project for this call;
   * `idle`: nobody did anything, so the session is not used by it. Throws `unauthorized` for a
   * token that is forged, expired or revoked, or whose project the user has left; `access_disabled` where the user,
   * the domain or the project is disabled; `not_found` for a `projectId` that the user may not enter.
   */
  resolve(token: string, requestId: string, how?: { projectId?: string | undefined; idle?: boolean }): Promise<SignedIn>
  /** As `resolve`, for what was begun by a session and goes on without its token (an open screen). */
  resolveSession(sessionId: string, projectId: string | null, requestId: string): Promise<SignedIn>
  /** A token for one project, of the same session. Throws `not_found`, `access_disabled`. */
  enterProject(signedIn: SignedIn, projectId: string): Promise<string>
  /** Ends the session of a token and all its tokens; a token of no session is no error. */
  signOut(token: string): Promise<void>
  /** Ends the user's other sessions as well. Throws `current_password_wrong`, `too_many_attempts`, `unsupported`. */
  changePassword(signedIn: SignedIn, change: ChangePassword, from: Origin): Promise<void>
  /** Calls back when a session was ended here. Answers how to stop listening. */
  onEnded(listener: (sessionId: string) => void): () => void
  /** Forgets sessions that are over since long. */
  prune(): Promise<void>
}

interface TokenRow {
  session_id: string
  user_id: string
  project_id: string | null
  external_provider: string | null
  created_at: Date
  last_used_at: Date
}

/** A session is marked as used at most this often, so that reading stays reading. */
const MARK_EVERY_MS = 60_000

const unauthorized = () => new Problem('unauthorized', 'Sign in to go on')
const disabled = (subject: 'user' | 'domain' | 'project') =>
  new Problem('access_disabled', `Access is disabled for this ${subject}`, { data: { subject } })

export function createSessions(options: {
  sql: Sql
  identity: IdentityPort
  limits?: SessionLimits
  now?: () => Date
}): Sessions {
  const { sql, identity, limits = sessionLimits, now = () => new Date() } = options
  const attempts = createAttempts(sql, now)
  const listeners = new Set<(sessionId: string) => void>()
  const announceEnd = (ids: string[]) => ids.forEach((id) => listeners.forEach((listener) => listener(id)))

  async function signedInAs(
    user: UserRecord,
    row: { session_id: string; external_provider: string | null },
    projectId: string | null,
    requestId: string,
    onMissing: () => Problem,
  ): Promise<SignedIn> {
    const [domain, project, adminProjectId] = await Promise.all([
      identity.domain(user.domain_id),
      projectId === null ? null : identity.project(projectId),
      projectId === null ? identity.adminProjectId() : '',
    ])
    if (!domain) throw unauthorized()
    if (!user.enabled) throw disabled('user')
    if (!domain.enabled) throw disabled('domain')
    if (projectId !== null && !project) throw onMissing()
    const standing = project ? standingInProject(user, project) : standingWithoutProject(user, adminProjectId)
    if (!standing) throw onMissing()
    if (project && !project.enabled) throw disabled('project')
    if (project && project.domain_id !== user.domain_id) {
      const home = await identity.domain(project.domain_id)
      if (!home?.enabled) throw disabled('domain')
    }
    return {
      session_id: row.session_id,
      user,
      domain,
      project,
      external_provider: row.external_provider,
      scope: { ...standing, user_id: user.id, user_name: user.name, request_id: requestId },
      grants: grantsFor(standing),
    }
  }

  async function issueToken(inside: Sql, sessionId: string, projectId: string | null): Promise<string> {
    const token = makeToken()
    await inside.query('insert into token (hash, session_id, project_id, created_at) values ($1, $2, $3, $4)', [
      hashToken(token),
      sessionId,
      projectId,
      now(),
    ])
    return token
  }

  const oldestAlive = () => ({
    created: new Date(now().getTime() - limits.absoluteSeconds * 1000),
    used: new Date(now().getTime() - limits.idleSeconds * 1000),
  })

  return {
    async signIn({ username, password, domain }, from) {
      const domainName = domain || (await identity.domain('default'))?.name || 'default'
      const attempt = await attempts.begin({ user: `${domainName}\n${username}`, address: from.address })
      const user = await identity.authenticate(username, password, domainName)
      if (!user) throw new Problem('wrong_credentials', 'The user name or the password is wrong')
      await attempt.succeeded()
      if (from.browser && isServiceAccount(user))
        throw new Problem('forbidden', 'A service account cannot sign in to the console')
      const row = { session_id: randomUUID(), external_provider: null }
      const signedIn = await signedInAs(user, row, null, from.request_id, unauthorized)
      const token = await sql.transaction(async (inside) => {
        await inside.query(
          `insert into session (id, user_id, address, user_agent, created_at, last_used_at)
            values ($1, $2, $3, $4, $5, $5)`,
          [row.session_id, user.id, from.address, from.user_agent.slice(0, 255), now()],
        )
        return issueToken(inside, row.session_id, null)
      })
      return { signedIn, token }
    },

    async resolve(token, requestId, { projectId, idle = false } = {}) {
      if (!looksLikeToken(token)) throw unauthorized()
      const alive = oldestAlive()
      const [row] = await sql.query<TokenRow>(
        `select t.session_id, s.user_id, t.project_id, s.external_provider, s.created_at, s.last_used_at
          from token t join session s on s.id = t.session_id
          where t.hash = $1 and s.ended_at is null and s.created_at > $2 and s.last_used_at > $3`,
        [hashToken(token), alive.created, alive.used],
      )
      const user = row && (await identity.user(row.user_id))
      if (!user) throw unauthorized()
      if (!idle && now().getTime() - row.last_used_at.getTime() > MARK_EVERY_MS)
        await sql.query('update session set last_used_at = $2 where id = $1', [row.session_id, now()])
      if (row.project_id === null && projectId !== undefined)
        return signedInAs(user, row, projectId, requestId, notFound)
      return signedInAs(user, row, row.project_id, requestId, unauthorized)
    },

    async resolveSession(sessionId, projectId, requestId) {
      const alive = oldestAlive()
      const [row] = await sql.query<{ session_id: string; user_id: string; external_provider: string | null }>(
        `select id as session_id, user_id, external_provider from session
          where id = $1 and ended_at is null and created_at > $2 and last_used_at > $3`,
        [sessionId, alive.created, alive.used],
      )
      const user = row && (await identity.user(row.user_id))
      if (!user) throw unauthorized()
      return signedInAs(user, row, projectId, requestId, unauthorized)
    },

    async enterProject(signedIn, projectId) {
      const row = { session_id: signedIn.session_id, external_provider: signedIn.external_provider }
      await signedInAs(signedIn.user, row, projectId, signedIn.scope.request_id, notFound)
      return issueToken(sql, signedIn.session_id, projectId)
    },

    async signOut(token) {
      if (!looksLikeToken(token)) return
      const ended = await sql.query<{ id: string }>(
        `update session set ended_at = $2 where ended_at is null
          and id = (select session_id from token where hash = $1) returning id`,
        [hashToken(token), now()],
      )
      announceEnd(ended.map((it) => it.id))
    },

    async changePassword(signedIn, change, from) {
      if (signedIn.user.identity_provider !== null || signedIn.external_provider !== null)
        throw new Problem('unsupported', 'The password is kept by the identity provider; change it there')
      const attempt = await attempts.begin({
        user: `${signedIn.domain.name}\n${signedIn.user.name}`,
        address: from.address,
      })
      const changed = await identity.changePassword(signedIn.user.id, change.current_password, change.new_password)
      if (!changed) throw badField('current_password', 'This is not the current password', 'current_password_wrong')
      await attempt.succeeded()
      const ended = await sql.query<{ id: string }>(
        'update session set ended_at = $3 where user_id = $1 and id <> $2 and ended_at is null returning id',
        [signedIn.user.id, signedIn.session_id, now()],
      )
      announceEnd(ended.map((it) => it.id))
    },

    onEnded(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async prune() {
      const longAgo = new Date(oldestAlive().created.getTime() - 24 * 3600 * 1000)
      await sql.query('delete from session where created_at < $1', [longAgo])
    },
  }
}

/** The user as the API tells it. `token`: the unscoped one, in the answer to a login only. */
export function currentUser(signedIn: SignedIn, tokens: { token?: string; scoped_token?: string } = {}): CurrentUser {
  const { user, domain, project, scope } = signedIn
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    domain_id: user.domain_id,
    domain_name: domain.name,
    project_id: project?.id ?? null,
    roles: [...new Set([...user.roles, ...scope.roles])],
    is_superuser: user.is_superuser,
    token: tokens.token ?? null,
    scoped_token: tokens.scoped_token ?? null,
    external_provider: signedIn.external_provider,
  }
}
