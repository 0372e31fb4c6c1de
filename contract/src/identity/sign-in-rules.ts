import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

/*
 * A domain's sign-in rules. They do not apply to users of an identity provider or a directory, which enforces its own
 * rules.
 */

export const SecondFactorRule = z.enum(['off', 'required'], says('identity.off_or_required'))

const SignInRules = z.object({
  /**
   * `required`: a password alone is not sufficient. Users who have neither codes nor passkeys must set up one of them
   * at the next sign-in.
   */
  second_factor: SecondFactorRule,
  /** Number of local users in the domain who have neither codes nor passkeys. */
  users_without: z.number().int(),
})

const path = '/api/v2/domains/:domain_id/sign-in-rules'
export const signInRules = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('domain'),
    summary: 'Get the sign-in rules of a domain',
    reply: SignInRules,
  },
  set: {
    verb: 'PUT',
    path,
    needs: update('domain'),
    summary: 'Set the sign-in rules of a domain. They apply from the next sign-in of each user.',
    body: SignInRules.pick({ second_factor: true })
      .strict()
      .meta({ examples: [{ second_factor: 'off' }] }),
    reply: SignInRules,
  },
})
