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

/** An authenticated user. `external_provider`: the identity provider that vouched for them; null for a password. */
export interface AuthResult extends Authenticated {
  external_provider: string | null
}

/** The ways to authenticate. Each waits for its turn, and is refused for a time after too many failures. */
export interface Authenticators {
  /** Throws `wrong_credentials`, `too_many_attempts`, `server_busy`, `unsupported`, `engine_unavailable`. */
  byLogin(login: Login, from: CallSource): Promise<AuthResult>
  /** The same for a sign-in through an identity provider; `look` answers null for what is no sign-in. */
  byHandOver(providerId: string, look: () => Promise<Authenticated | null>, from: CallSource): Promise<AuthResult>
  /** A code after the password. Answers whether `look` says that it is right; failures are counted apart from those of the password. */
  byCode(who: LockedUser, from: CallSource, look: () => Promise<boolean>): Promise<boolean>
  /** A passkey of this user: who has to wait for failures has to wait with it too. `look` throws what is wrong with it. */
  byPasskey(who: LockedUser, from: CallSource, look: () => Promise<Authenticated>): Promise<AuthResult>
  /** The current password of somebody who is signed in; null where `look` says that it is another one. */
  byCurrentPassword(
    who: { sessionId: string; user: string; address: string },
    look: () => Promise<Authenticated | null>,
  ): Promise<Authenticated | null>
}

/** A user whose sign-in has to wait after failures, and where the last of them came from. There may be no such user. */
export interface LockedUser {
  username: string
  domain: string
  address: string
}

/** What failures of a user are counted by: no name of a domain has a line break. */
export const userKey = (domainName: string, username: string): string => `${domainName}\n${username}`

interface Beyond<Found> {
  /** Who is told when failures make this user wait. */
  locked?: LockedUser
  /** Who is asked when nobody here knows the password. */
  elsewhere?: () => Promise<{ found: Found | null; fault?: Problem; isGuess?: boolean }>
}

export function createAuthenticators(options: {
  identity: IdentityPort
  attempts: Attempts
  sources: KnownSources
  inTurn: ProofQueue
  /** Whoever fails for this user has to wait from now on. */
  onLocked: (who: LockedUser) => Promise<void>
  admitted: ReturnType<typeof createAdmission>
  /** Who is asked about users that have no password here. */
  directory?: PasswordSource | undefined
}): Authenticators {
  const { identity, attempts, sources, inTurn, admitted, onLocked, directory } = options

  /** Counts failures of authentication. An attempt that could not be checked counts as none. */
  async function prove<Found>(
    who: SignInAttempt,
    look: () => Promise<Found | null>,
    { locked, elsewhere }: Beyond<Found> = {},
  ): Promise<Found | null> {
    // a caller who has to wait takes no place in the queue
    await attempts.check(who)
    const count = async (found: Found | null) => {
      if (found) await attempts.succeeded(who)
      else if ((await attempts.failed(who)) && locked) await onLocked(locked)
      return found
    }
    const found = await inTurn(who.isKnown, async () => {
      // and once more: guesses that were made at once count as well
      await attempts.check(who)
      const here = await look()
      return here || !elsewhere ? count(here) : null
    })
    if (found || !elsewhere) return found
    // outside of the queue: what is slow there holds up nobody here
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

  /** The default domain is called by its name or its id, or not at all. */
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
      // nobody has said who they are, so failures count for the address alone
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
