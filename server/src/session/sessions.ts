import type { Sql } from '@mainstay/engines/ports/engines'
import { randomUUID } from 'node:crypto'
import { notFound, problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { Panel } from '@mainstay/contract/panels'
import type { SessionRestriction, IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { withRecord } from '../audit/acts'
import { addSeconds, aliveAt, isAlive, sessionLimits, type SessionLimits } from './alive'
import { createAttempts } from './attempts'
import { refuseCommonPassword } from './passwords/common-passwords'
import { noCredential, openCredential, openKey, sealCredential, sealKey } from './credentials'
import { createLockNotices } from './lock-notices'
import { createKnownSources, SOURCE_DAYS } from './known-sources'
import { createOwnSessions } from './own-sessions'
import { createProgramTokens } from './program-tokens'
import type { PasswordSource } from './passwords/password-source'
import { createAdmission, createProofQueue, type ProofQueueLimits } from './proof-queue'
import { createAuthenticators, type AuthResult, type LockedUser } from './authenticators'
import { createDataKey, seal, unseal } from './sealing'
import { isServiceAccount } from './scopes'
import { createRightsChanges } from './rights-changes'
import { createSecondFactors } from './second-factor/second-factors'
import { createOwnPassword } from './passwords/own-password'
import { createOwnSecondFactor } from './second-factor/own-second-factor'
import { createPasskeyChallenges } from './passkeys/challenges'
import { createPasskeyAdditions } from './passkeys/additions'
import { createOwnPasskeys } from './passkeys/own-passkeys'
import { createPasskeys } from './passkeys/passkeys'
import { createSignIns } from './sign-ins'
import { createSignInRules } from './sign-in-rules'
import { createSignInSteps } from './sign-in-steps'
import { userAtPanel, signedInAs, unauthorized, restrictUser, type SessionSubject, type SignedIn } from './signed-in'
import { hashToken, looksLikeToken, makeToken } from './tokens'
import type { NewSession, Origin, Sessions } from './types'
import { createWaysIn } from './account-lockout'

/** Maximum number of sessions per user. A new session ends the least recently used one. */
export const MOST_SESSIONS = 200

interface SessionRow {
  session_id: string
  user_id: string
  external_provider: string | null
  bound: SessionRestriction | null
  credential: Buffer | null
  /** Name of the API token; null if the session comes from a sign-in. */
  name: string | null
  read_only: boolean
  signs_out: boolean
}
interface TokenRow extends SessionRow {
  project_id: string | null
  credential_key: Buffer | null
  created_at: Date
  last_used_at: Date
}

/** Columns for a `SessionRow` from a session `s`. */
const rowColumns =
  's.id as session_id, s.user_id, s.external_provider, s.bound, s.credential, s.name, s.read_only, s.sign_out is not null as signs_out'

const signOutPlace = (sessionId: string): string => `sign-out of session ${sessionId}`

const noRoleThere = () => problem('identity.credential_without_role')

/** Minimum interval for recording that a session was used, so that reads rarely cause writes. */
const MARK_EVERY_MS = 60_000

export function createSessions(options: {
  sql: Sql
  identity: IdentityPort
  limits?: SessionLimits
  queue?: ProofQueueLimits
  now?: () => Date
  /** Called when failures lock a user's sign-in. */
  onLocked?: (who: LockedUser) => Promise<void>
  /** Seals the secrets of second factors. */
  sealingKey?: Secret
  /** Checks the passwords of users who have none here. */
  directory?: PasswordSource
  /** Deletes the S3 keys of a user. */
  removeKeys?: (user: { id: string; domain_id: string }) => Promise<void>
  /** Message for operators at the portal if system permissions apply only at the admin port; otherwise null. */
  operatorsElsewhere?: string | null
}): Sessions {
  const { sql, identity, limits = sessionLimits, now = () => new Date(), onLocked = async () => undefined } = options
  const sealingKey = options.sealingKey ?? createDataKey()
  const attempts = createAttempts(sql, now)
  const sources = createKnownSources(sql, now)
  const lockNotices = createLockNotices(sql, now)
  const steps = createSignInSteps(sql, now)
  const secondFactors = createSecondFactors(sql, sealingKey, now)
  const passkeys = createPasskeys(sql, now)
  const challenges = createPasskeyChallenges(sql, now)
  const additions = createPasskeyAdditions(passkeys, challenges)
  const rules = createSignInRules(sql)
  const proofs = createAuthenticators({
    identity,
    attempts,
    sources,
    inTurn: createProofQueue(options.queue),
    onLocked,
    directory: options.directory,
    admitted: createAdmission(options.queue),
  })
  const password = createOwnPassword(identity, proofs)
  const listeners = new Set<(sessionId: string) => void>()
  const announceEnd = (ids: string[]) => ids.forEach((id) => listeners.forEach((listener) => listener(id)))

  const tokens = createProgramTokens({ sql, identity, limits, now, onEnded: announceEnd })

  async function issueToken(inside: Sql, signedIn: SignedIn, projectId: string | null): Promise<string> {
    const { session_id, credential_key } = signedIn
    const token = makeToken()
    await inside.query(
      'insert into token (hash, session_id, project_id, created_at, credential_key) values ($1, $2, $3, $4, $5)',
      [hashToken(token), session_id, projectId, now(), sealKey(credential_key, new Secret(token), session_id)],
    )
    return token
  }

  const issueAlone = (signedIn: SignedIn, projectId: string | null): Promise<string> =>
    withRecord(sql, async (inside, record) => {
      await record()
      return issueToken(inside, signedIn, projectId)
    })

  const alive = () => aliveAt(now(), limits)

  async function holderOf(row: SessionRow, key: Secret | null, panel: Panel): Promise<SessionSubject> {
    const user = await identity.user(row.user_id)
    const held = openCredential(row, key)
    if (!user || !held) throw unauthorized()
    const { session_id, external_provider, bound, name, read_only, signs_out } = row
    return {
      ...{ session_id, external_provider, read_only, signs_out, held },
      is_for_programs: name !== null,
      bound_project_id: bound?.project_id ?? null,
      ...userAtPanel(panel, restrictUser(bound, user), options.operatorsElsewhere),
    }
  }

  async function begin(proven: AuthResult, from: Origin): Promise<NewSession> {
    const { credential, expires_at, external_provider, bound, sign_out = null } = proven
    const user = restrictUser(bound, proven.user)
    if (from.browser && isServiceAccount(user)) throw problem('identity.service_account_console')
    const session_id = randomUUID()
    const held = credential ? { credential, key: createDataKey() } : noCredential
    const projectId = bound?.project_id ?? null
    const holder = {
      ...{ session_id, external_provider, bound_project_id: projectId, held },
      ...userAtPanel(from.panel, user, options.operatorsElsewhere),
      ...{ is_for_programs: false, read_only: false, signs_out: sign_out !== null },
    }
    const signedIn = await signedInAs(identity, holder, projectId, from.request_id, bound ? noRoleThere : unauthorized)
    const token = await withRecord(sql, async (inside, record) => {
      await record(user, signedIn.scope)
      await inside.query(
        `insert into session (id, user_id, address, user_agent, created_at, last_used_at, credential,
            credential_expires_at, external_provider, bound, sign_out)
          values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10)`,
        [
          session_id,
          user.id,
          from.address,
          from.user_agent.slice(0, 255),
          now(),
          sealCredential(held, session_id),
          expires_at,
          external_provider,
          bound && JSON.stringify(bound),
          sign_out && seal(sign_out, sealingKey, signOutPlace(session_id)),
        ],
      )
      return issueToken(inside, signedIn, projectId)
    })
    await endOldest(user.id)
    return { signedIn, token, device: null }
  }

  async function endOldest(userId: string): Promise<void> {
    const ended = await sql.query<{ id: string }>(
      `update session set ended_at = $4 where ended_at is null and id in
        (select s.id from session s where s.user_id = $1 and s.name is null and ${isAlive}
          order by s.last_used_at desc, s.created_at desc, s.id offset $5)
        returning id`,
      [userId, ...alive(), MOST_SESSIONS],
    )
    announceEnd(ended.map((it) => it.id))
  }

  async function endOf(...userIds: string[]): Promise<void> {
    const ended = await sql.query<{ id: string }>(
      'update session set ended_at = $2 where user_id = any($1::text[]) and ended_at is null returning id',
      [userIds, now()],
    )
    announceEnd(ended.map((it) => it.id))
  }

  const waysIn = createWaysIn({ sql, endOf, removeKeys: options.removeKeys ?? (async () => undefined) })

  return {
    lockNotices,
    lifetime: { sessionSeconds: Math.floor(limits.absoluteSeconds), deviceSeconds: SOURCE_DAYS * 24 * 3600 },

    ...createSignIns({
      ...{ identity, proofs, steps, secondFactors, rules, passkeys, additions, challenges },
      ...{ begin, endOf, waysIn },
    }),

    async lockOf(user) {
      const { failures, lockedUntil } = await attempts.lockOf(user)
      return { failures, locked_until: lockedUntil?.toISOString() ?? null }
    },

    unlock: (user) =>
      withRecord(sql, async (inside, record) => {
        await record()
        await attempts.forgive(user, inside)
      }),

    async resolve(token, requestId, { projectId, idle = false, panel = 'self-service' } = {}) {
      if (!looksLikeToken(token)) throw unauthorized()
      const [row] = await sql.query<TokenRow>(
        `select ${rowColumns}, t.project_id, s.created_at, s.last_used_at, t.credential_key
          from token t join session s on s.id = t.session_id where t.hash = $1 and ${isAlive}`,
        [hashToken(token), ...alive()],
      )
      if (!row) throw unauthorized()
      const key = row.credential_key && openKey(row.credential_key, new Secret(token), row.session_id)
      const holder = await holderOf(row, key, panel)
      const isFirstUse = row.name !== null && row.last_used_at.getTime() === row.created_at.getTime()
      if (!idle && (isFirstUse || now().getTime() - row.last_used_at.getTime() > MARK_EVERY_MS))
        await sql.query('update session set last_used_at = $2 where id = $1', [row.session_id, now()])
      if (row.project_id === null && projectId !== undefined)
        return signedInAs(identity, holder, projectId, requestId, notFound)
      return signedInAs(identity, holder, row.project_id, requestId, unauthorized)
    },

    async resolveSession({ session_id, project_id, credential_key, panel }, requestId) {
      const [row] = await sql.query<SessionRow>(
        `select ${rowColumns} from session s
          where s.id = $1 and ${isAlive}`,
        [session_id, ...alive()],
      )
      if (!row) throw unauthorized()
      return signedInAs(identity, await holderOf(row, credential_key, panel), project_id, requestId, unauthorized)
    },

    async anotherToken(signedIn) {
      // the holder of a project token may be someone other than the holder of the session
      if (signedIn.project) throw problem('identity.token_of_project')
      return issueAlone(signedIn, null)
    },

    async enterProject(signedIn, projectId) {
      const { bound_project_id: only } = signedIn
      if (only !== null && only !== projectId)
        throw problem('identity.credential_of_project', {}, { data: { project_id: only } })
      await signedInAs(identity, { ...signedIn, held: noCredential }, projectId, signedIn.scope.request_id, notFound)
      return issueAlone(signedIn, projectId)
    },

    async signOutAt(token) {
      if (!looksLikeToken(token)) return null
      const [row] = await sql.query<{ id: string; sign_out: Buffer | null }>(
        `select s.id, s.sign_out from token t join session s on s.id = t.session_id
          where t.hash = $1 and s.name is null and s.ended_at is null`,
        [hashToken(token)],
      )
      return row?.sign_out ? unseal(row.sign_out, sealingKey, signOutPlace(row.id)) : null
    },

    async signOut(token) {
      if (!looksLikeToken(token)) return false
      const ended = await withRecord(sql, async (inside, record) => {
        const found = await inside.query<{ id: string }>(
          `update session set ended_at = $2 where ended_at is null and name is null
            and id = (select session_id from token where hash = $1) returning id`,
          [hashToken(token), now()],
        )
        if (found.length > 0) await record()
        return found
      })
      announceEnd(ended.map((it) => it.id))
      return ended.length > 0
    },

    async changePassword(signedIn, change, from) {
      if (signedIn.user.identity_provider !== null || signedIn.external_provider !== null)
        throw problem('identity.password_of_provider')
      if (signedIn.bound_project_id !== null || signedIn.is_for_programs)
        throw problem('identity.sign_in_with_password')
      await refuseCommonPassword('new_password', change.new_password, [signedIn.user.name, signedIn.domain.name])
      const { session_id, credential_key: key } = signedIn
      const { current_password, new_password } = change
      const who = { sessionId: session_id, user: signedIn.user.id, address: from.address }
      const changed = await proofs.byCurrentPassword(who, () =>
        identity.changePassword(signedIn.user.id, current_password, new_password),
      )
      if (!changed) throw fieldProblem('current_password', 'identity.wrong_current_password')
      // the engine's transaction writes the audit entry
      const ended = await sql.transaction(async (inside) => {
        await inside.query('update session set credential = $2, credential_expires_at = $3 where id = $1', [
          session_id,
          sealCredential({ credential: changed.credential, key }, session_id),
          changed.expires_at,
        ])
        return inside.query<{ id: string }>(
          'update session set ended_at = $3 where user_id = $1 and id <> $2 and ended_at is null returning id',
          [signedIn.user.id, session_id, now()],
        )
      })
      announceEnd(ended.map((it) => it.id))
    },

    endOf,
    closeForRights: waysIn.closeForRights,

    secondFactors,
    ownSecondFactor: createOwnSecondFactor({ password, factors: secondFactors }),
    passkeys,
    ownPasskeys: createOwnPasskeys({ password, passkeys, additions }),
    signInRules: rules,
    own: createOwnSessions({ sql, tokens, limits, now, onEnded: announceEnd }),
    programTokens: tokens,

    tellEnded: (sessionId) => announceEnd([sessionId]),
    rightsChanges: createRightsChanges(),

    onEnded(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async prune() {
      const yesterday = addSeconds(now(), -24 * 3600)
      await sql.query('delete from session where expires_at is null and created_at < $1 or expires_at < $2', [
        addSeconds(yesterday, -limits.absoluteSeconds),
        yesterday,
      ])
      await attempts.prune()
      await sources.prune()
      await lockNotices.prune()
      await steps.prune()
    },
  }
}
