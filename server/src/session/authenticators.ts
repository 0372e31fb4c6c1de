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
 * An authenticated user. `external_provider` is the identity provider that authenticated them, or null for a password.
 */
export interface AuthResult extends Authenticated {
  external_provider: string | null
}

/** Ways to authenticate. All of them are queued and require waits after too many failures. */
export interface Authenticators {
  /** Throws `wrong_credentials`, `too_many_attempts`, `server_busy`, `unsupported`, `engine_unavailable`. */
  byLogin(login: Login, from: CallSource): Promise<AuthResult>
  /** Like `byLogin`, for a sign-in through an identity provider. `look` returns null if there is no valid sign-in. */
  byHandOver(providerId: string, look: () => Promise<Authenticated | null>, from: CallSource): Promise<AuthResult>
  /**
   * Checks a second-factor code. Returns the result of `look`. Failures are counted separately from those of the
   * password.
   */
  byCode(who: LockedUser, from: CallSource, look: () => Promise<boolean>): Promise<boolean>
  /** Checks a passkey of this user. Waits after failed passwords apply too. `look` throws if the passkey is invalid. */
  byPasskey(who: LockedUser, from: CallSource, look: () => Promise<Authenticated>): Promise<AuthResult>
  /** Checks the current password of a signed-in user. Null if `look` finds that it is wrong. */
  byCurrentPassword(
    who: { sessionId: string; user: string; address: string },
    look: () => Promise<Authenticated | null>,
  ): Promise<Authenticated | null>
}

/** A user whose sign-in has to wait after failures, and the address of the last failure. The user may not exist. */
export interface LockedUser {
  username: string
  domain: string
  address: string
}

/** Key for counting the failures of a user. Unambiguous, because domain names contain no line breaks. */
export const userKey = (domainName: string, username: string): string => `${domainName}\n${username}`

interface Beyond<Found> {
  /** The user to notify when failures lock the sign-in. */
  locked?: LockedUser
  /** Checks the password elsewhere if it is not valid here. */
  elsewhere?: () => Promise<{ found: Found | null; fault?: Problem; isGuess?: boolean }>
}

export function createAuthenticators(options: {
  identity: IdentityPort
  attempts: Attempts
  sources: KnownSources
  inTurn: ProofQueue
  /** Called when failures lock the sign-in of a user. */
  onLocked: (who: LockedUser) => Promise<void>
  admitted: ReturnType<typeof createAdmission>
  /** Checks passwords of users that have none here. */
  directory?: PasswordSource | undefined
}): Authenticators {
  const { identity, attempts, sources, inTurn, admitted, onLocked, directory } = options

  /** Runs an authentication and counts failures. Attempts that could not be checked do not count. */
  async function prove<Found>(
    who: SignInAttempt,
    look: () => Promise<Found | null>,
    { locked, elsewhere }: Beyond<Found> = {},
  ): Promise<Found | null> {
    // checked before queueing, so that waiting callers take no place
    await attempts.check(who)
    const count = async (found: Found | null) => {
      if (found) await attempts.succeeded(who)
      else if ((await attempts.failed(who)) && locked) await onLocked(locked)
      return found
    }
    const found = await inTurn(who.isKnown, async () => {
      // checked again, because concurrent guesses count too
      await attempts.check(who)
      const here = await look()
      return here || !elsewhere ? count(here) : null
    })
    if (found || !elsewhere) return found
    // outside the queue, so that a slow directory blocks no other sign-ins
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

  /** Resolves the domain name. The default domain may be given by name, by ID or not at all. */
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
      // the user is not known yet, so failures count only for the address
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
