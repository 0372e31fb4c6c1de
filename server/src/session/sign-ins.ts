import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { IdentityPort, UserRecord } from '@mainstay/engines/ports/identity'
import type { AuthResult, Authenticators } from './authenticators'
import { refuseCommonPassword } from './common-passwords'
import type { SecondFactors } from './second-factors'
import type { SignInStep, SignInSteps } from './sign-in-steps'
import { unauthorized } from './signed-in'
import { makeToken } from './tokens'
import type { NewSession, Origin, Sessions } from './types'

type SignIns = Pick<Sessions, 'signIn' | 'acceptHandOver' | 'choosePassword' | 'passSecondFactor' | 'renewPassword'>

const byUser = (user: UserRecord): AuthResult => ({
  ...{ user, credential: null, expires_at: null, bound: null, external_provider: null },
})

/** The ways in, each to its end: the session begins after the last step (docs/decisions/0045-sign-in-in-steps.md). */
export function createSignIns(parts: {
  identity: IdentityPort
  proofs: Authenticators
  steps: SignInSteps
  secondFactors: SecondFactors
  begin: (proven: AuthResult, from: Origin) => Promise<NewSession>
  /** Ends every session of a user. */
  endOf: (userId: string) => Promise<void>
}): SignIns {
  const { identity, proofs, steps, secondFactors, begin, endOf } = parts

  /** Begins the session of who has proved who they are. Throws what the sign-in still lacks, with a challenge to go on. */
  async function complete(proven: AuthResult, from: Origin, passed?: SignInStep): Promise<NewSession> {
    const { user, bound, credential, external_provider } = proven
    const isLocal = bound === null && credential === null && external_provider === null
    if (isLocal && user.enabled) {
      if (passed !== 'second_factor' && (await secondFactors.isOn(user.id)))
        throw await steps.ask('second_factor', user.id)
      if (user.must_change_password) throw await steps.ask('password', user.id)
    }
    return begin(proven, from)
  }

  return {
    async signIn(login, from) {
      // a browser that says nothing is given something to say, and known again by it from this sign-in on
      const device = from.device ?? (from.browser ? makeToken() : null)
      return { ...(await complete(await proofs.byLogin(login, { ...from, device }), from)), device }
    },

    acceptHandOver: async (providerId, look, from) => begin(await proofs.byHandOver(providerId, look, from), from),

    async choosePassword(link, password, from) {
      const links = identity.directory?.passwordLinks
      if (!links) throw notFound()
      const { user_name, domain_name } = await links.open(link)
      await refuseCommonPassword('new_password', password, [user_name, domain_name])
      const user = await identity.user(await links.use(link, password))
      if (!user) throw unauthorized()
      await endOf(user.id)
      return complete(byUser(user), from)
    },

    async passSecondFactor(challenge, code, from) {
      const user = await identity.user(await steps.userOf('second_factor', challenge))
      const domain = user && (await identity.domain(user.domain_id))
      if (!user || !domain) throw unauthorized()
      const who = { username: user.name, domain: domain.name, address: from.address }
      if (!(await proofs.byCode(who, from, () => secondFactors.accept(user.id, code))))
        throw new Problem('second_factor_wrong', 'This code is wrong, or was used already')
      await steps.spend('second_factor', challenge)
      return complete(byUser(user), from, 'second_factor')
    },

    async renewPassword(challenge, password, from) {
      const user = await identity.user(await steps.userOf('password', challenge))
      if (!user || !identity.renewPassword) throw unauthorized()
      const domain = await identity.domain(user.domain_id)
      await refuseCommonPassword('new_password', password, [user.name, domain?.name ?? ''])
      await identity.renewPassword(user.id, password)
      await steps.spend('password', challenge)
      await endOf(user.id)
      return begin(byUser(user), from)
    },
  }
}
