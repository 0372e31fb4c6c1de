import { badField, Problem } from '@mainstay/contract/core/problems'
import type { SecondFactor } from '@mainstay/contract/identity/second-factor'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import type { Authenticators } from './authenticators'
import { refuseDeputy } from './own-sessions'
import type { SecondFactors } from './second-factors'
import type { SignedIn } from './signed-in'
import { totpUri } from './totp'

/** What people do with their own second factor. It is changed with the password alone, whoever finds an open console. */
export interface OwnSecondFactor {
  state(signedIn: SignedIn): Promise<SecondFactor>
  /** Throws `unsupported`, `current_password_wrong`, `too_many_attempts`, `conflict`. */
  begin(signedIn: SignedIn, password: string, address: string): Promise<{ secret: string; uri: string }>
  confirm(signedIn: SignedIn, code: string): Promise<string[]>
  renewCodes(signedIn: SignedIn, password: string, address: string): Promise<string[]>
  remove(signedIn: SignedIn, password: string, address: string): Promise<void>
}

/** What apps show beside the codes. */
const ISSUER = 'Mainstay'

export function createOwnSecondFactor(parts: {
  identity: IdentityPort
  proofs: Authenticators
  factors: SecondFactors
}): OwnSecondFactor {
  const { identity, proofs, factors } = parts

  const isAvailable = ({ external_provider, scope }: SignedIn): boolean =>
    external_provider === null && scope.credential === null && identity.directory !== null

  function check(signedIn: SignedIn): void {
    refuseDeputy(signedIn)
    if (!isAvailable(signedIn))
      throw new Problem('unsupported', 'Whoever signs you in asks for a second factor; set it up there')
  }
  async function prove(signedIn: SignedIn, password: string, address: string): Promise<void> {
    check(signedIn)
    const { user, domain, session_id: sessionId } = signedIn
    const found = await proofs.byCurrentPassword({ sessionId, user: user.id, address }, () =>
      identity.authenticate(user.name, password, domain.name),
    )
    if (!found) throw badField('current_password', 'This is not the current password', 'current_password_wrong')
  }

  return {
    async state(signedIn) {
      refuseDeputy(signedIn)
      return { is_available: isAvailable(signedIn), ...(await factors.state(signedIn.user.id)) }
    },
    async begin(signedIn, password, address) {
      await prove(signedIn, password, address)
      const secret = await factors.begin(signedIn.user.id)
      return { secret, uri: totpUri(secret, ISSUER, `${signedIn.user.name}@${signedIn.domain.name}`) }
    },
    async confirm(signedIn, code) {
      check(signedIn)
      return factors.confirm(signedIn.user.id, code)
    },
    async renewCodes(signedIn, password, address) {
      await prove(signedIn, password, address)
      return factors.renewCodes(signedIn.user.id)
    },
    async remove(signedIn, password, address) {
      await prove(signedIn, password, address)
      await factors.remove(signedIn.user.id)
    },
  }
}
