import { problem } from '@mainstay/contract/core/problems'
import type { SecondFactor } from '@mainstay/contract/identity/second-factor'
import type { OwnPassword } from '../passwords/own-password'
import { requireOwnSession } from '../own-sessions'
import type { SecondFactors } from './second-factors'
import type { SignedIn } from '../signed-in'
import { appSecretOf } from './totp'

/**
 * Gives users access to their own second factor. Changes require the password, in case someone else is using an
 * unattended console.
 */
export interface OwnSecondFactor {
  state(signedIn: SignedIn): Promise<SecondFactor>
  /**
   * Verifies the password and returns the secret for an authenticator app. Throws `unsupported`,
   * `current_password_wrong`, `too_many_attempts` or `conflict`.
   */
  begin(signedIn: SignedIn, password: string, address: string): Promise<{ secret: string; uri: string }>
  confirm(signedIn: SignedIn, code: string): Promise<string[]>
  renewCodes(signedIn: SignedIn, password: string, address: string): Promise<string[]>
  remove(signedIn: SignedIn, password: string, address: string): Promise<void>
}

export function createOwnSecondFactor({
  password: own,
  factors,
}: {
  password: OwnPassword
  factors: SecondFactors
}): OwnSecondFactor {
  function check(signedIn: SignedIn): void {
    requireOwnSession(signedIn)
    if (!own.isKeptHere(signedIn)) throw problem('identity.provider_has_second_factor')
  }
  async function prove(signedIn: SignedIn, password: string, address: string): Promise<void> {
    check(signedIn)
    await own.prove(signedIn, password, address)
  }

  return {
    async state(signedIn) {
      requireOwnSession(signedIn)
      return { is_available: own.isKeptHere(signedIn), ...(await factors.state(signedIn.user.id)) }
    },
    async begin(signedIn, password, address) {
      await prove(signedIn, password, address)
      return appSecretOf(await factors.begin(signedIn.user.id), signedIn.user.name, signedIn.domain.name)
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
