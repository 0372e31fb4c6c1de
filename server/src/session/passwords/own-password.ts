import { fieldProblem } from '@mainstay/contract/core/problems'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import type { Authenticators } from '../authenticators'
import type { SignedIn } from '../signed-in'

/** Asks for the password again before sensitive changes, in case someone else is using an unattended console. */
export interface OwnPassword {
  /** Whether the user's password is stored here rather than in a cloud, a directory or an identity provider. */
  isKeptHere(signedIn: SignedIn): boolean
  /** Verifies the password of the signed-in user. Throws `current_password_wrong` or `too_many_attempts`. */
  prove(signedIn: SignedIn, password: string, address: string): Promise<void>
}

export const createOwnPassword = (identity: IdentityPort, proofs: Authenticators): OwnPassword => ({
  isKeptHere: ({ external_provider, user, scope }) =>
    external_provider === null &&
    user.identity_provider === null &&
    scope.credential === null &&
    identity.directory !== null,

  async prove({ user, domain, session_id: sessionId }, password, address) {
    const found = await proofs.byCurrentPassword({ sessionId, user: user.id, address }, () =>
      identity.authenticate(user.name, password, domain.name),
    )
    if (!found) throw fieldProblem('current_password', 'identity.wrong_current_password')
  },
})
