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

/** How somebody gets a passkey: what a browser is told to make, and what came of it. */
export interface PasskeyRegistration {
  begin(user: { id: string; name: string }, domainName: string, party: RelyingParty): Promise<CreationOptions>
  /** Throws `validation` with what is wrong, `conflict`, `duplicate_name`. */
  finish(userId: string, name: string, made: MadeCredential): Promise<Passkey>
}

/** What browsers call us where they ask for a passkey. */
const PARTY = 'Mainstay'

/** What a passkey calls its owner by: bytes that say nothing to whoever reads them. */
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
      if (!party) throw new PasskeyFault('adding it took too long or has ended')
      return await passkeys.add(userId, name, await verifyMade(made, party), party)
    } catch (error) {
      if (error instanceof PasskeyFault)
        throw fieldProblem('credential', 'identity.passkey_refused', { reason: error.message })
      throw error
    }
  },
})
