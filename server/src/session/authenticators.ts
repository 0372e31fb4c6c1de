import { says, type RuleText } from '@mainstay/contract/core/said'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem, problemOf } from '@mainstay/contract/core/problems'
import type { Login } from '@mainstay/contract/identity/session'
import type { Authenticated, IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Attempts, SignInAttempt } from './attempts'
import type { KnownSources, CallSource } from './known-sources'
import type { PasswordSource } from './passwords/password-source'
import type { createAdmission, ProofQueue } from './proof-queue'

/**
 * An authenticated user. `external_provider` is the identity provider that authenticated them; null if they used a
 * password.
 */
export interface AuthResult extends Authenticated {
  external_provider: string | null
}

/** Authentication methods. All of them are queued and subject to a wait after too many failures. */
export interface Authenticators {
  /**
   * Authenticates a user by name and password. Throws `wrong_credentials`, `too_many_attempts`, `server_busy`,
   * `unsupported` or `engine_unavailable`.
   */
  byLogin(login: Login, from: CallSource): Promise<AuthResult>
  /** Like `byLogin`, but through an identity provider. `look` returns null if there is no valid sign-in. */
  byHandOver(providerId: string, look: () => Promise<Authenticated | null>, from: CallSource): Promise<AuthResult>
  /**
   * Checks a second-factor code. Returns the result of `look`. Failures are counted separately from wrong passwords.
   */
  byCode(who: LockedUser, from: CallSource, look: () => Promise<boolean>): Promise<boolean>
  /**
   * Checks one of the user's passkeys. A wait after wrong passwords also applies here. `look` throws for an invalid
   * passkey.
   */
  byPasskey(who: LockedUser, from: CallSource, look: () => Promise<Authenticated>): Promise<AuthResult>
  /** Checks the current password of a signed-in user. Returns null if `look` finds that it is wrong. */
  byCurrentPassword(
    who: { sessionId: string; user: string; address: string },
    look: () => Promise<Authenticated | null>,
  ): Promise<Authenticated | null>
}

/** A user whose sign-in is locked after failures, and the address of the last one. The user may not exist. */
export interface LockedUser {
  username: string
  domain: string
  address: string
}

/** Key for counting a user's failures. It is unambiguous, because domain names contain no line breaks. */
export const userKey = (domainName: string, username: string): string => `${domainName}\n${username}`

interface Beyond<Found> {
  /** The user to notify if failures lock the sign-in. */
  locked?: LockedUser
  /** Checks the password elsewhere if it is not valid here. */
  elsewhere?: () => Promise<{ found: Found | null; fault?: Problem; isGuess?: boolean }>
}

export function createAuthenticators(options: {
  identity: IdentityPort
  attempts: Attempts
  sources: KnownSources
  inTurn: ProofQueue
  /** Called when failures lock a user's sign-in. */
  onLocked: (who: LockedUser) => Promise<void>
  admitted: ReturnType<typeof createAdmission>
  /** Checks the passwords of users who have none here. */
  directory?: PasswordSource | undefined
}): Authenticators {
  const { identity, attempts, sources, inTurn, admitted, onLocked, directory } = options

  /** Runs an authentication and counts any failure. Attempts that could not be checked do not count. */
  async function prove<Found>(
    who: SignInAttempt,
    look: () => Promise<Found | null>,
    { locked, elsewhere }: Beyond<Found> = {},
  ): Promise<Found | null> {
    // check before queueing, so that callers who have to wait do not occupy the queue
    await attempts.check(who)
    const count = async (found: Found | null) => {
      if (found) await attempts.succeeded(who)
      else if ((await attempts.failed(who)) && locked) await onLocked(locked)
      return found
    }
    const found = await inTurn(who.isKnown, async () => {
      // check again, because concurrent guesses also count
      await attempts.check(who)
      const here = await look()
      return here || !elsewhere ? count(here) : null
    })
    if (found || !elsewhere) return found
    // run outside the queue, so that a slow directory does not block other sign-ins
    const there = await elsewhere()
    if (!there.fault || there.isGuess) await count(there.found)
    if (there.fault) throw there.fault
    return there.found
  }

  async function proveUser(
    user: string,
    from: CallSource,
    refusal: RuleText,
    look: () => Promise<Authenticated | null>,
    beyond?: Beyond<Authenticated>,
  ) {
    const found = await prove({ user, address: from.address, ...(await sources.find(user, from)) }, look, beyond)
    if (!found) throw problemOf(refusal)
    await sources.remember(user, from)
    return { ...found, external_provider: null }
  }

  /** Resolves a domain name. The default domain can be given by name, by ID or not at all. */
  async function domainNamed(name: string | undefined): Promise<string> {
    if (name && name !== 'default') return name
    return (await identity.domain('default'))?.name ?? 'default'
  }

  return {
    byLogin: (login, from) =>
      admitted(async () => {
        const { username = '', password = '', application_credential: application } = login
        const domainName = await domainNamed(login.domain)
        const user = userKey(domainName, username)
        if (!application)
          return proveUser(
            user,
            from,
            says('identity.wrong_credentials'),
            () => identity.authenticate(username, password, domainName),
            {
              locked: { username, domain: domainName, address: from.address },
              ...(directory && { elsewhere: () => directory(username, password, domainName) }),
            },
          )
        const { id, name = '', secret } = application
        const ref = id === undefined ? { name, username, domainName } : { id }
        const known = id === undefined ? `${user}\n${name}` : `application credential ${id}`
        return proveUser(known, from, says('identity.wrong_credential'), () =>
          identity.authenticateApplication(ref, new Secret(secret)),
        )
      }),

    async byHandOver(providerId, look, { address }) {
      // the user is not yet known, so failures count only for the address
      const nobody = { user: null, source: address, address, isKnown: false }
      const found = await prove(nobody, look)
      if (!found) throw problem('identity.not_a_sign_in')
      return { ...found, external_provider: providerId }
    },

    async byCode(who, from, look) {
      const owner = userKey(who.domain, who.username)
      const guesser = {
        user: `second factor\n${owner}`,
        owner,
        address: from.address,
        ...(await sources.find(owner, from)),
      }
      return (await prove(guesser, async () => (await look()) || null, { locked: who })) !== null
    },

    byPasskey: (who, from, look) =>
      admitted(() => proveUser(userKey(who.domain, who.username), from, says('identity.passkey_not_accepted'), look)),

    byCurrentPassword: ({ sessionId, user, address }, look) =>
      prove({ user, source: `session ${sessionId}`, address, isKnown: true }, look),
  }
}
