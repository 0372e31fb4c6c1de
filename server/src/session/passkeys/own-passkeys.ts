import { problem } from '@mainstay/contract/core/problems'
import type { CreationOptions, MadeCredential, Passkey } from '@mainstay/contract/identity/passkeys'
import { requireOwnSession } from '../own-sessions'
import type { OwnPassword } from '../passwords/own-password'
import type { SignedIn } from '../signed-in'
import type { PasskeyRegistration } from './additions'
import type { Passkeys } from './passkeys'
import type { RelyingParty } from './relying-party'

/**
 * Gives users access to their own passkeys. Adding or removing one requires the password, in case someone else is using
 * an unattended console.
 */
export interface OwnPasskeys {
  list(signedIn: SignedIn): Promise<{ data: Passkey[]; is_available: boolean }>
  /**
   * Verifies the password and returns the options for creating a passkey. Throws `unsupported`,
   * `current_password_wrong` or `too_many_attempts`.
   */
  begin(signedIn: SignedIn, password: string, address: string, party: RelyingParty): Promise<CreationOptions>
  /**
   * Stores a passkey that the browser has created. Throws `conflict`, `duplicate_name`, or `validation` with the
   * reason.
   */
  add(signedIn: SignedIn, name: string, made: MadeCredential): Promise<Passkey>
  rename(signedIn: SignedIn, id: string, name: string): Promise<Passkey>
  remove(signedIn: SignedIn, id: string, password: string, address: string): Promise<void>
}

export function createOwnPasskeys(parts: {
  password: OwnPassword
  passkeys: Passkeys
  additions: PasskeyRegistration
}): OwnPasskeys {
  const { password: own, passkeys, additions } = parts

  function check(signedIn: SignedIn): void {
    requireOwnSession(signedIn)
    if (!own.isKeptHere(signedIn)) throw problem('identity.provider_has_no_passkeys')
  }

  return {
    async list(signedIn) {
      requireOwnSession(signedIn)
      return { data: await passkeys.of(signedIn.user.id), is_available: own.isKeptHere(signedIn) }
    },
    async begin(signedIn, password, address, party) {
      check(signedIn)
      await own.prove(signedIn, password, address)
      return additions.begin(signedIn.user, signedIn.domain.name, party)
    },
    async add(signedIn, name, made) {
      check(signedIn)
      return additions.finish(signedIn.user.id, name, made)
    },
    async rename(signedIn, id, name) {
      check(signedIn)
      return passkeys.rename(signedIn.user.id, id, name)
    },
    async remove(signedIn, id, password, address) {
      check(signedIn)
      await own.prove(signedIn, password, address)
      await passkeys.remove(signedIn.user.id, id)
    },
  }
}
