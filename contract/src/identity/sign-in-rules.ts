import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

/* How people of a domain sign in. Who is signed in elsewhere, by an identity provider or a directory, is asked there. */

export const SecondFactorRule = z.enum(['off', 'required'], says('identity.off_or_required'))

const SignInRules = z.object({
  /** `required`: a password alone opens nothing; who has neither codes nor a passkey sets one up in the next sign-in. */
  second_factor: SecondFactorRule,
  /** Users of the domain with a password here, and neither codes nor a passkey. */
  users_without: z.number().int(),
})

const path = '/api/v2/domains/:domain_id/sign-in-rules'
export const signInRules = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('domain'),
    summary: 'How people of a domain sign in',
    reply: SignInRules,
  },
  set: {
    verb: 'PUT',
    path,
    needs: update('domain'),
    summary: 'Set how people of a domain sign in, from their next sign-in on',
    body: SignInRules.pick({ second_factor: true })
      .strict()
      .meta({ examples: [{ second_factor: 'off' }] }),
    reply: SignInRules,
  },
})
