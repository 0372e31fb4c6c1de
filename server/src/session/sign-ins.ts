import { notFound, problem } from '@mainstay/contract/core/problems'
import type { IdentityPort, UserRecord } from '@mainstay/engines/ports/identity'
import type { AuthResult, Authenticators } from './authenticators'
import { nameActor } from '../audit/acts'
import { refuseCommonPassword } from './passwords/common-passwords'
import { networkOf } from './known-sources'
import type { PasskeyChallenges } from './passkeys/challenges'
import { userHandleOf, type PasskeyRegistration } from './passkeys/additions'
import type { Passkeys } from './passkeys/passkeys'
import { challengeOf, PasskeyFault, verifyUsed } from './passkeys/webauthn'
import type { SecondFactors } from './second-factor/second-factors'
import type { SignInRules } from './sign-in-rules'
import type { SignInStep, SignInSteps } from './sign-in-steps'
import { unauthorized } from './signed-in'
import { makeToken } from './tokens'
import type { AccountLockout } from './account-lockout'
import { appSecretOf } from './second-factor/totp'
import type { NewSession, Origin, Sessions } from './types'

type SignIns = Pick<
  Sessions,
  | 'signIn'
  | 'acceptHandOver'
  | 'choosePassword'
  | 'passSecondFactor'
  | 'renewPassword'
  | 'beginCodes'
  | 'confirmCodes'
  | 'beginPasskey'
  | 'addPasskey'
  | 'passkeyChallenge'
  | 'signInByPasskey'
>

// a browser without a device token gets one, which identifies it from this sign-in onward
const deviceOf = ({ device, browser }: Origin): string | null => device ?? (browser ? makeToken() : null)

const byUser = (user: UserRecord): AuthResult => ({
  ...{ user, credential: null, expires_at: null, bound: null, external_provider: null },
})

/** All sign-in methods. The session begins after the last step (docs/decisions/0045-sign-in-in-steps.md). */
export function createSignIns(parts: {
  identity: IdentityPort
  proofs: Authenticators
  steps: SignInSteps
  secondFactors: SecondFactors
  rules: SignInRules
  passkeys: Passkeys
  additions: PasskeyRegistration
  challenges: PasskeyChallenges
  begin: (proven: AuthResult, from: Origin) => Promise<NewSession>
  /** Ends all sessions of a user. */
  endOf: (userId: string) => Promise<void>
  waysIn: AccountLockout
}): SignIns {
  const { identity, proofs, steps, secondFactors, rules, passkeys, additions, challenges, begin, endOf, waysIn } = parts

  /** Begins the session of an authenticated user. If another step is required, throws the problem that asks for it. */
  async function complete(proven: AuthResult, from: Origin, passed?: SignInStep): Promise<NewSession> {
    const { user, bound, credential, external_provider } = proven
    const isLocal = bound === null && credential === null && external_provider === null
    if (isLocal && user.enabled && user.identity_provider === null) {
      const isOn = await secondFactors.isOn(user.id)
      if (passed === undefined && isOn) throw await steps.ask('second_factor', user.id)
      const lacksFactor =
        passed !== 'second_factor' && !isOn && (await rules.secondFactorOf(user.domain_id)) === 'required'
      const hasPasskey = lacksFactor && (await passkeys.summaryOf(user.id)).count > 0
      // if a step has been passed, the passkey has already been used
      if (passed === undefined && hasPasskey) throw problem('identity.passkey_required')
      if (passed !== 'password' && user.must_change_password) throw await steps.ask('password', user.id)
      if (lacksFactor && !hasPasskey) throw await steps.ask('new_factor', user.id)
    }
    return begin(proven, from)
  }

  /** The user of a challenge, and their domain. Throws `sign_in_expired` or `unauthorized`. */
  async function holderOf(step: SignInStep, challenge: string) {
    const user = await identity.user(await steps.userOf(step, challenge))
    const domain = user && (await identity.domain(user.domain_id))
    if (!user || !domain) throw unauthorized()
    nameActor(user)
    return { user, domain }
  }

  return {
    async signIn(login, from) {
      const device = deviceOf(from)
      return { ...(await complete(await proofs.byLogin(login, { ...from, device }), from)), device }
    },

    acceptHandOver: async (providerId, look, from) => begin(await proofs.byHandOver(providerId, look, from), from),

    async choosePassword(link, password, from) {
      const links = identity.directory?.passwordLinks
      if (!links) throw notFound()
      const { user_id, user_name, domain_name, is_mailed_reset } = await links.open(link)
      await refuseCommonPassword('new_password', password, [user_name, domain_name])
      const owner = await identity.user(user_id)
      if (!owner) throw unauthorized()
      const use = () => links.use(link, password)
      // users who forgot their password keep the passkeys and other credentials that they set up themselves
      if (is_mailed_reset) {
        await use()
        await endOf(user_id)
      } else await waysIn.closeForOwner(owner, use)
      const user = await identity.user(user_id)
      if (!user) throw unauthorized()
      return complete(byUser(user), from)
    },

    async passSecondFactor(challenge, code, from) {
      const { user, domain } = await holderOf('second_factor', challenge)
      const who = { username: user.name, domain: domain.name, address: from.address }
      if (!(await proofs.byCode(who, from, () => secondFactors.accept(user.id, code))))
        throw problem('identity.wrong_code')
      await steps.spend('second_factor', challenge)
      return complete(byUser(user), from, 'second_factor')
    },

    passkeyChallenge: (party, address) => challenges.makeForSignIn(networkOf(address), party),

    async signInByPasskey(used, from) {
      try {
        const party = await challenges.spend(challengeOf(used), null)
        if (!party) throw problem('identity.sign_in_expired')
        const kept = await passkeys.find(used.id)
        const user = kept && (await identity.user(kept.user_id))
        const domain = user && (await identity.domain(user.domain_id))
        if (!kept || !user || !domain || user.identity_provider !== null)
          throw new PasskeyFault('it is unknown and may have been removed')
        nameActor(user)
        const device = deviceOf(from)
        const who = { username: user.name, domain: domain.name, address: from.address }
        const proven = await proofs.byPasskey(who, { ...from, device }, async () => {
          const { counter, isSynced } = await verifyUsed(used, party, kept.public_key)
          if (used.response.userHandle !== userHandleOf(user.id)) throw new PasskeyFault('it belongs to another user')
          await passkeys.used(kept, counter, isSynced)
          return byUser(user)
        })
        return { ...(await complete(proven, from, 'second_factor')), device }
      } catch (error) {
        if (error instanceof PasskeyFault)
          throw problem('identity.passkey_refused', { reason: error.message }, { code: 'passkey_refused' })
        throw error
      }
    },

    async renewPassword(challenge, password, from) {
      const { user, domain } = await holderOf('password', challenge)
      const { renewPassword } = identity
      if (!renewPassword) throw unauthorized()
      await refuseCommonPassword('new_password', password, [user.name, domain.name])
      await waysIn.closeForOwner(user, () => renewPassword(user.id, password))
      await steps.spend('password', challenge)
      return complete(byUser(user), from, 'password')
    },

    async beginCodes(challenge) {
      const { user, domain } = await holderOf('new_factor', challenge)
      return appSecretOf(await secondFactors.begin(user.id), user.name, domain.name)
    },

    async confirmCodes(challenge, code, from) {
      const { user } = await holderOf('new_factor', challenge)
      const recovery_codes = await secondFactors.confirm(user.id, code)
      await steps.spend('new_factor', challenge)
      return { session: await begin(byUser(user), from), recovery_codes }
    },

    async beginPasskey(challenge, party) {
      const { user, domain } = await holderOf('new_factor', challenge)
      return additions.begin(user, domain.name, party)
    },

    async addPasskey(challenge, name, made, from) {
      const { user } = await holderOf('new_factor', challenge)
      await additions.finish(user.id, name, made)
      await steps.spend('new_factor', challenge)
      return begin(byUser(user), from)
    },
  }
}
