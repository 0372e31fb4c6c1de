import { fieldProblem } from '@mainstay/contract/core/problems'
import {
  PASSKEY_ALGORITHMS,
  PASSKEY_CHALLENGE_MINUTES,
  type CreationOptions,
  type MadeCredential,
  type Passkey,
} from '@mainstay/contract/identity/passkeys'
import type { PasskeyChallenges } from './challenges'
import type { Passkeys } from './passkeys'
import type { RelyingParty } from './relying-party'
import { challengeOf, PasskeyFault, verifyMade } from './webauthn'

/** Adds a passkey: creates the options for the browser and verifies the result. */
export interface PasskeyRegistration {
  begin(user: { id: string; name: string }, domainName: string, party: RelyingParty): Promise<CreationOptions>
  /**
   * Verifies the browser's response and stores the passkey. Throws `conflict`, `duplicate_name`, or `validation` with
   * the reason.
   */
  finish(userId: string, name: string, made: MadeCredential): Promise<Passkey>
}

/** Name of this product in the browser's passkey dialog. */
const PARTY = 'Mainstay'

/** User handle for a passkey: opaque bytes that reveal nothing about the user. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

export const createPasskeyAdditions = (passkeys: Passkeys, challenges: PasskeyChallenges): PasskeyRegistration => ({
  async begin(user, domainName, party) {
    const known = await passkeys.credentialsOf(user.id, party.host)
    return {
      challenge: await challenges.makeFor(user.id, party),
      rp: { id: party.host, name: PARTY },
      user: { id: userHandleOf(user.id), name: `${user.name}@${domainName}`, displayName: user.name },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: PASSKEY_CHALLENGE_MINUTES * 60_000,
      excludeCredentials: known.map((it) => ({ type: 'public-key', ...it })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    }
  },

  async finish(userId, name, made) {
    try {
      const party = await challenges.spend(challengeOf(made), userId)
      if (!party) throw new PasskeyFault('it took too long to add it, or the request is no longer valid')
      return await passkeys.add(userId, name, await verifyMade(made, party), party)
    } catch (error) {
      if (error instanceof PasskeyFault)
        throw fieldProblem('credential', 'identity.passkey_refused', { reason: error.message })
      throw error
    }
  },
})
