import { Problem } from '@mainstay/contract/core/problems'
import type { Login } from '@mainstay/contract/identity/session'
import type { Authenticated, IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { orUndone, type Attempts } from './attempts'

/** Somebody who has shown who they are. `external_provider`: through which identity provider; null for none. */
export interface Proven extends Authenticated {
  external_provider: string | null
}

/** The ways to show who one is, each with the wait after too many failures. */
export interface Proofs {
  /** Throws `wrong_credentials`, `too_many_attempts`, `unsupported`, `engine_unavailable`. */
  byLogin(login: Login, address: string): Promise<Proven>
  /** The same for the token that a sign-in through an identity provider has brought. */
  byHandOver(providerId: string, token: Secret, address: string): Promise<Proven>
}

export function createProofs(identity: IdentityPort, attempts: Attempts): Proofs {
  async function prove(
    who: { user: string | null; address: string },
    look: () => Promise<Authenticated | null>,
    refusal: string,
  ): Promise<Authenticated> {
    const attempt = await attempts.begin(who)
    const found = await orUndone(attempt, look())
    if (!found) throw new Problem('wrong_credentials', refusal)
    await attempt.succeeded()
    return found
  }

  return {
    async byLogin(login, address) {
      const { username = '', password = '', application_credential: application } = login
      const domainName = login.domain || (await identity.domain('default'))?.name || 'default'
      const user = `${domainName}\n${username}`
      if (!application) {
        const look = () => identity.authenticate(username, password, domainName)
        return {
          ...(await prove({ user, address }, look, 'The user name or the password is wrong')),
          external_provider: null,
        }
      }
      const { id, name = '', secret } = application
      const ref = id === undefined ? { name, username, domainName } : { id }
      const known = id === undefined ? `${user}\n${name}` : `application credential ${id}`
      const look = () => identity.authenticateApplication(ref, new Secret(secret))
      const refusal = 'The application credential is not known, or its secret is wrong'
      return { ...(await prove({ user: known, address }, look, refusal)), external_provider: null }
    },

    async byHandOver(providerId, token, address) {
      const look = async () => identity.handOver?.accept(providerId, token) ?? null
      // nobody has said who they are, so failures count for the address alone
      const found = await prove({ user: null, address }, look, 'What the identity provider has sent is no sign-in')
      return { ...found, external_provider: providerId }
    },
  }
}
